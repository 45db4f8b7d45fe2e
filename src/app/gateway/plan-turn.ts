import { renderEntries } from '../../domain/context/render.ts';
import { flawOf, JSON_DEPTH } from '../../domain/exact-json.ts';
import { withMarksOf } from '../../domain/gateway/cache-marks.ts';
import { isInForce } from '../../domain/gateway/in-force.ts';
import {
  formatOf,
  historyField,
  historyOf,
  isTrigger,
  type Protocol,
} from '../../domain/gateway/protocol.ts';
import { type Refusal, serverSideThread, unreadableItem } from '../../domain/gateway/refusal.ts';
import { memberRange, replaceMember } from '../../domain/gateway/replace-member.ts';
import type { Item } from '../../domain/items/item.ts';
import { withoutStoredReasoning } from '../../domain/items/openai-responses/stateless.ts';
import { isJsonObject, type JsonObject, stringField } from '../../domain/json.ts';
import { measureJson } from '../../domain/json-text.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { configOf, contextTokens, type Head } from '../../domain/session/head.ts';
import { usableWindow } from '../../domain/tokens/thresholds.ts';
import { append } from '../append.ts';
import { compactStateless } from '../compact-stateless.ts';
import { eventAt } from '../event-at.ts';
import { findSession } from '../find.ts';
import { loadViewHere } from '../load-view.ts';
import type { OpaqueContent } from '../opaque-content.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { sync } from '../sync.ts';
import { expandContent } from './expand-content.ts';
import { findTurnSession, type TurnSession } from './find-turn-session.ts';
import { hashed } from './history-keys.ts';
import type { TurnRequest } from './turn-request.ts';
import { settleSession } from './turn-settings.ts';

/** Why a request goes upstream as it came, without a session. */
export type PassReason =
  | 'too_many_values'
  | 'no_json'
  | 'no_history'
  | 'unknown_answer'
  | 'nothing_to_compact'
  | 'conversation';

/** How a request goes upstream. */
export type TurnPlan =
  /** `body`: with items of ours in it expanded; null: as it came. */
  | { kind: 'pass'; reason: string; body: string | null }
  /** The client asks for a compaction: what stands for its history, sealed. */
  | { kind: 'compacted'; content: string }
  /** It holds what cannot be sent on, nor left out. */
  | { kind: 'refused'; refusal: Refusal }
  | {
      kind: 'turn';
      session_id: string;
      version: number;
      /** The body with the context in place of the history; null: the original bytes. */
      body: string | null;
      /** About how many tokens the context is shorter than the history. */
      saved: number;
      /** The context would overflow the window. */
      isFull: boolean;
      /** What the session is to be found by, and the history up to here. */
      keys: string[];
      history: TurnSession['history'];
    };

/** Objects, arrays and what stands in them: memory and time go with their number. */
const MOST_JSON = { values: 2_000_000, depth: Number.POSITIVE_INFINITY };

export type PlanDeps = Pick<
  Ports,
  | 'store'
  | 'largestHere'
  | 'world'
  | 'dispatch'
  | 'cancelJob'
  | 'clock'
  | 'newId'
  | 'loadTokenizer'
  | 'contextWindowOf'
  | 'modelRefusal'
  | 'summarize'
> & { opaque: OpaqueContent };

/**
 * Brings the session of a request up to the history that it holds, and says what goes upstream (SPEC 2,
 * section 23). Rejects what a sync rejects. Throws ElsewhereError (asked again elsewhere it goes on where
 * it was), and what the store throws.
 */
export async function planTurn(deps: PlanDeps, request: TurnRequest): Promise<Outcome<TurnPlan>> {
  if (measureJson(request.text, MOST_JSON).values > MOST_JSON.values)
    return pass('too_many_values');
  const body = parsed(request.text);
  if (body === null) return pass('no_json');
  if (request.protocol === 'messages' && isJsonObject(body.thread))
    return refused(serverSideThread());
  const history = historyOf(request.protocol, body);
  if (history === null) return pass('no_history');
  // The provider keeps that history itself.
  if (body.conversation !== undefined && body.conversation !== null) return pass('conversation');
  const expanded = await expandContent(deps.opaque, request.tenant, history);
  if (!expanded.ok) return refused(unreadableItem(expanded.rejection));
  const items = expanded.value;
  const isOurs = items !== history;
  if (request.protocol === 'responses' && isTrigger(history.at(-1))) {
    return compactedHere(deps, request, body, items);
  }
  try {
    return await planInSession(deps, request, body, { items, isOurs });
  } catch (error) {
    if (error instanceof ElsewhereError || !isOurs) throw error;
    // Only this service can read its items: they are expanded, whatever else fails.
    const text = bodyWith(request.protocol, request.text, body, { items, context: items });
    return accept({ kind: 'pass', reason: nameOf(error), body: text });
  }
}

type History = { items: readonly Item[]; isOurs: boolean };

async function planInSession(
  deps: PlanDeps,
  request: TurnRequest,
  body: JsonObject,
  { items, isOurs }: History,
): Promise<Outcome<TurnPlan>> {
  const format = formatOf(request.protocol);
  const session = await findTurnSession(deps, request, body, items, format);
  if (session.delta?.isKnown === false) return pass('unknown_answer');
  const settled = await settleSession(deps, session, request, body);
  if (!settled.ok) return settled;
  const synced = await (session.delta === null ? syncAll : appendNew)(deps, session, items);
  if (!synced.ok) return synced;
  const ref = { tenant: request.tenant, session_id: synced.value };
  const found = await findSession(deps.store, ref);
  if (!found.ok) return found;
  const head = found.value;
  const original = request.text;
  const replaced = await contextInForce(deps, ref, head, items, isOurs);
  const text =
    replaced === null
      ? null
      : bodyWith(request.protocol, original, body, { items, context: replaced });
  return accept({
    kind: 'turn',
    session_id: ref.session_id,
    version: head.state.version,
    body: text,
    saved: text === null ? 0 : savedTokens(original, text),
    isFull: isFull(deps, request, head),
    keys: session.keys,
    history: session.history,
  });
}

function refused(refusal: Refusal): Outcome<TurnPlan> {
  return accept({ kind: 'refused', refusal });
}

function pass(reason: PassReason): Outcome<TurnPlan> {
  return accept({ kind: 'pass', reason, body: null });
}

/**
 * Answers a request for a compaction from the history alone, without a model: the client waits for it, and
 * fails when it does not get exactly one item (SPEC 2, section 23). The log gets what is new of the history,
 * where there is a store.
 */
async function compactedHere(
  deps: PlanDeps,
  request: TurnRequest,
  body: JsonObject,
  items: readonly Item[],
): Promise<Outcome<TurnPlan>> {
  const history = items.filter((item) => !isTrigger(item));
  const server = { ...deps.world.server, summarization_model: 'extractive' };
  const compacted = await compactStateless(
    { ...deps, world: { ...deps.world, server } },
    {
      model: stringField(body, 'model') ?? '',
      instructions: null,
      input: history.map((item) => ({ kind: 'item', item })),
    },
    new AbortController().signal,
  );
  if (!compacted.ok) return pass('nothing_to_compact');
  const { content, ledger, tail } = compacted.value;
  const sealed = await deps.opaque.seal(
    request.tenant,
    { items: [...content, ...tail], ledger },
    MOST_SEALED,
  );
  await planInSession(deps, request, body, { items: history, isOurs: false }).catch(
    unlessElsewhere,
  );
  return accept({ kind: 'compacted', content: sealed });
}

/** What fails is made up for by the next request, which holds the history again. */
function unlessElsewhere(error: unknown): void {
  if (error instanceof ElsewhereError) throw error;
}

/** A header takes neither blanks nor signs. */
export function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : 'error';
  return /^[\w-]{1,60}$/.test(name) ? name : 'error';
}

/** Null for what is no JSON object, or none that could be sent on as it is meant. */
function parsed(text: string): JsonObject | null {
  if (flawOf(text, JSON_DEPTH) !== null) return null;
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}

/** Answers the id of the session that the history is in now. */
async function syncAll(
  deps: PlanDeps,
  { ref }: TurnSession,
  items: readonly Item[],
): Promise<Outcome<string>> {
  const done = await sync(deps, ref, {
    items,
    format: undefined,
    on_divergence: 'fork',
    expected: null,
    idempotency: null,
  });
  return done.ok ? accept(done.value.synced.session_id) : done;
}

/** Of a request that holds only what is new: asked again, it is not appended again. */
async function appendNew(
  deps: PlanDeps,
  { ref, delta }: TurnSession,
  items: readonly Item[],
): Promise<Outcome<string>> {
  const fingerprint = hashed(JSON.stringify(items));
  const key = hashed('delta', delta?.answer_id ?? '', fingerprint);
  const done = await append(deps, ref, {
    items,
    expected: null,
    idempotency: { key, fingerprint },
    wait: null,
  });
  return done.ok ? accept(ref.session_id) : done;
}

/** The rendered context where it has to take the place of the history; else null. */
async function contextInForce(
  deps: PlanDeps,
  ref: SessionRef,
  { state, settings }: Head,
  history: readonly Item[],
  isForced: boolean,
): Promise<Item[] | null> {
  // Nothing has ever changed this context but appends.
  if (!isForced && state.base === null && state.compacted_version === 0) return null;
  const view = await loadViewHere(deps, ref, state.version);
  if (view === null) return null;
  const base = view.base === null ? null : await eventAt(deps.store, ref, view.base.version);
  if (!isForced && !isInForce(view, base?.type ?? null, history)) return null;
  return renderEntries(view.entries, settings.format, settings.format);
}

/** The body of the request with the context in place of its history, everything else as it came. */
function bodyWith(
  protocol: Protocol,
  text: string,
  body: JsonObject,
  { items, context }: { items: readonly Item[]; context: readonly Item[] },
): string | null {
  const isStored = protocol !== 'responses' || body.store !== false;
  const history = withMarksOf(items, isStored ? context : withoutStoredReasoning(context));
  const replaced = replaceMember(text, historyField(protocol), JSON.stringify(history));
  if (replaced === null || body.previous_response_id == null) return replaced;
  // What it refers to stands in the context.
  return replaceMember(replaced, 'previous_response_id', 'null');
}

const CHARACTERS_PER_TOKEN = 4;
/** Of a compaction item, in bytes of JSON. */
const MOST_SEALED = 64 * 1024 * 1024;

function savedTokens(original: string, text: string): number {
  return Math.max(0, Math.round((original.length - text.length) / CHARACTERS_PER_TOKEN));
}

/** Whether the context, with what stands beside it in the request, leaves no room in the window. */
function isFull({ world }: PlanDeps, { protocol, text }: TurnRequest, head: Head): boolean {
  const { settings, state } = head;
  const config = configOf(settings, world.server);
  const tokens =
    contextTokens(state, config) + (state.usage === null ? besides(protocol, text) : 0);
  return tokens >= usableWindow(config, settings.context_window);
}

/** Instructions and tools, in tokens: as long as no provider has counted them. */
function besides(protocol: Protocol, text: string): number {
  const range = memberRange(text, historyField(protocol));
  const history = range === null ? 0 : range.end - range.start;
  return Math.ceil((text.length - history) / CHARACTERS_PER_TOKEN);
}
