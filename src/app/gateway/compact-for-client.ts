import { type FullPlan, planFull, withLedgers } from '../../domain/compaction/full.ts';
import { materialOf } from '../../domain/compaction/material.ts';
import {
  expandInput,
  finishStateless,
  planStateless,
  statelessConfig,
} from '../../domain/compaction/stateless.ts';
import { summaryContent } from '../../domain/compaction/summary.ts';
import type { SummaryOrder } from '../../domain/compaction/summary-order.ts';
import { sumTokens, type View } from '../../domain/context/view.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import type { Refusal } from '../../domain/gateway/refusal.ts';
import { roughlySaved } from '../../domain/gateway/rough-tokens.ts';
import { isJsonObject, type JsonObject, stringField } from '../../domain/json.ts';
import type { Config } from '../../domain/policy/config.ts';
import { DEFAULT_CONTEXT_WINDOW, resolveConfig } from '../../domain/policy/profiles.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { configOf } from '../../domain/session/head.ts';
import type { TextCounter } from '../../domain/tokens/count.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import { findSession } from '../find.ts';
import { loadView } from '../load-view.ts';
import { withLedger } from '../read-ledger.ts';
import { prepareTokenizer } from '../tokenizer.ts';
import { MOST_BYTES } from './expand-content.ts';
import { expandWhereItCan } from './expand-references.ts';
import { type KeptTurn, keepWhereItCan } from './keep-turn.ts';
import type { PlanDeps } from './plan-deps.ts';
import { type Asks, type ReadTurn, readTurn } from './read-turn.ts';
import type { TurnRequest } from './turn-request.ts';
import { modelWindow, windowAsked } from './turn-settings.ts';
import { writtenSoon } from './written-soon.ts';

/** What a client gets that has asked for a compaction of its history. */
export type ForClient =
  /** `content`: of the one item that stands for the history, sealed. */
  | { kind: 'item'; content: string; session: Place | null; saved: number }
  | { kind: 'summary'; text: string; session: Place | null; saved: number }
  /** Nothing can be made shorter: its model may answer. */
  | { kind: 'pass'; reason: string }
  | { kind: 'refused'; refusal: Refusal };

type Place = { id: string; version: number };
type Read = Extract<ReadTurn, { kind: 'read' }>;

/**
 * Answers a client's own compaction from the log (SPEC 2, section 23), by the operator's model, and
 * without one where that takes longer than `wait_seconds` or fails. The log gets what is new of the
 * history first, where there is a store. Throws ElsewhereError with nothing written.
 */
export async function compactForClient(
  deps: PlanDeps,
  request: TurnRequest,
  wait_seconds: number,
): Promise<Outcome<ForClient>> {
  const read = await readTurn(deps, request);
  if (read.kind !== 'read') return accept(read);
  if (read.asks === null) return accept({ kind: 'pass', reason: 'no_history' });
  await prepareTokenizer(deps, {});
  const { asks, body } = read;
  const history = await expandWhereItCan(deps, request, read.history);
  if (history === null) return accept({ kind: 'pass', reason: 'too_many_values' });
  const told = { ...history, is_excerpt: asks.kind === 'summary' };
  const kept = await keepWhereItCan(deps, request, body, told);
  switch (asks.kind) {
    case 'item':
      return accept(await itemFor(deps, request, { body, history, kept, wait_seconds }));
    case 'summary':
      return accept(await summaryFor(deps, request, { body, history, kept, wait_seconds }, asks));
    default:
      return asks satisfies never;
  }
}

type Told = Pick<Read, 'body' | 'history'>;
type Work = Told & { kept: KeptTurn | null; wait_seconds: number };

async function itemFor(
  deps: PlanDeps,
  request: TurnRequest,
  { body, history, kept, wait_seconds }: Work,
): Promise<ForClient> {
  const { world, opaque } = deps;
  const config = statelessConfig(world.server, windowOf(deps, request, body));
  const count = counterFor(config, world.tokenizers);
  const plan = config.enabled ? planStateless(expandInput(history.input), config, count) : null;
  if (plan === null) return { kind: 'pass', reason: 'nothing_to_compact' };
  const order = plan.full && orderOf(plan.full, plan.view, { config, count }, body);
  const summary = order && (await writtenSoon(deps, order, wait_seconds));
  const { content, ledger, tail } = finishStateless(plan, summary);
  const items = [...content, ...tail];
  const session_id = kept?.ref.session_id;
  const sealed = await opaque.seal(request.tenant, { items, ledger, session_id }, MOST_BYTES);
  const saved = roughlySaved(sizeOf(history.items), sizeOf(items));
  return { kind: 'item', content: sealed, session: placeOf(kept), saved };
}

async function summaryFor(
  deps: PlanDeps,
  request: TurnRequest,
  { body, history, kept, wait_seconds }: Work,
  { focus }: Extract<Asks, { kind: 'summary' }>,
): Promise<ForClient> {
  const planned =
    (kept && (await plannedFromLog(deps, kept))) ??
    plannedFromBody(deps, request, { body, history });
  if (planned === null) return { kind: 'pass', reason: 'nothing_to_compact' };
  const { full, view, ...terms } = planned;
  const order = {
    ...orderOf(full, view, terms, body),
    ...(focus !== null && { focus }),
  };
  const summary = await writtenSoon(deps, order, wait_seconds);
  if (summary === null) return { kind: 'pass', reason: 'nothing_to_compact' };
  const text = `<summary>\n${quoted(summaryContent(summary.text))}\n</summary>`;
  const saved = roughlySaved(sizeOf(history.items), text.length);
  return { kind: 'summary', text, session: placeOf(kept), saved };
}

type Terms = { config: Config; count: TextCounter };
type Planned = Terms & { full: FullPlan; view: View };

/** A summary of the whole context as the session has it, where the history of the request ends. */
async function plannedFromLog(
  { store, world }: PlanDeps,
  { ref, version }: KeptTurn,
): Promise<Planned | null> {
  const found = await findSession(store, ref);
  const loaded = found.ok ? await loadView(store, ref, version) : null;
  if (!found.ok || loaded === null) return null;
  const config = textConfig(configOf(found.value.settings, world.server));
  if (!config.enabled) return null;
  const count = counterFor(config, world.tokenizers);
  const view = await withLedger(store, ref, loaded);
  const material = materialOf(view);
  const plan = planFull({
    view,
    material,
    config,
    count,
    tokens: sumTokens(view.entries),
    // The client wants it, however short it is already.
    threshold: Number.MAX_SAFE_INTEGER,
    before: null,
    context_window: null,
    is_automatic: false,
  });
  return plan.kind === 'full'
    ? { full: withLedgers(plan, view, material), view, config, count }
    : null;
}

function plannedFromBody(deps: PlanDeps, request: TurnRequest, { body, history }: Told) {
  const { world } = deps;
  const context_window = windowOf(deps, request, body);
  const own = { profile: 'default', context_window, server: world.server, session: {} } as const;
  const config = { ...textConfig(resolveConfig(own)), recall: false };
  if (!config.enabled) return null;
  const count = counterFor(config, world.tokenizers);
  const conversation = { items: [...history.items], carried: new Set<never>(), ledger: null };
  const plan = planStateless(conversation, config, count, formatOf(request.protocol));
  return plan === null || plan.full === null
    ? null
    : { full: plan.full, view: plan.view, config, count };
}

/** Nothing stands beside the text: it has to tell everything. */
function textConfig(config: Config): Config {
  return {
    ...config,
    preserve_user_messages: false,
    protected_messages: null,
    protected_tokens: null,
    restore_max_files: 0,
    restore_todos: false,
    restore_plan: false,
  };
}

function orderOf(plan: FullPlan, view: View, terms: Terms, body: JsonObject): SummaryOrder {
  return { plan, view, ...terms, model: stringField(body, 'model') ?? null };
}

/** The tokens that the model of a request can read. */
export function windowOf(
  deps: Pick<PlanDeps, 'contextWindowOf'>,
  request: TurnRequest,
  body: JsonObject,
): number {
  const asked = windowAsked(request.headers) ?? modelWindow(deps, request, body);
  return asked ?? DEFAULT_CONTEXT_WINDOW;
}

/** Claude Code reads up to the first tag that ends the summary, and leaves out what is an analysis. */
function quoted(text: string): string {
  return text.replace(/<(\/?)(summary|analysis)>/gi, '<$1 $2>');
}

function placeOf(kept: KeptTurn | null): Place | null {
  return kept && { id: kept.ref.session_id, version: kept.version };
}

function sizeOf(items: readonly unknown[]): number {
  return items.reduce<number>(
    (sum, item) => sum + (isJsonObject(item) ? JSON.stringify(item).length : 0),
    0,
  );
}
