import { isOnlyAppended } from '../../domain/gateway/in-force.ts';
import { splitPassing } from '../../domain/gateway/passing-context.ts';
import { formatOf, historyField, isTrigger, type Protocol } from '../../domain/gateway/protocol.ts';
import { roughTokens } from '../../domain/gateway/rough-tokens.ts';
import { answerBefore, varyAfter } from '../../domain/gateway/session-hint.ts';
import { withoutSummaryQuestion } from '../../domain/gateway/summary-question.ts';
import { summaryTurn } from '../../domain/gateway/summary-turn.ts';
import type { Item } from '../../domain/items/item.ts';
import { referredId } from '../../domain/items/openai-responses/references.ts';
import { isProviderCompaction } from '../../domain/items/provider-compaction.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { configOf, type Head } from '../../domain/session/head.ts';
import type { KnownBeginning } from '../known-bodies.ts';
import { readKnownRest } from '../known-rest.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import { sync } from '../sync.ts';
import { PartialTellingError, Telling } from '../telling.ts';
import { namedBy } from './find-turn-session.ts';
import type { PlanDeps } from './plan-deps.ts';
import { isFull, type PlannedTurn } from './plan-turn.ts';
import type { TurnAsked } from './turn-request.ts';
import { modelWindow, recallAsked, settleSession } from './turn-settings.ts';

/**
 * Plans a turn whose body begins like the one before, which went upstream as it came: only the rest of it
 * is read. Null where that does not suffice: then the whole body has to be read, and nothing is done twice.
 * Throws what the store throws.
 */
export async function planKnownTurn(
  deps: PlanDeps,
  request: TurnAsked,
  beginning: KnownBeginning,
): Promise<PlannedTurn | null> {
  try {
    return await planned(deps, request, beginning);
  } catch (error) {
    if (error instanceof PartialTellingError || error instanceof ElsewhereError) return null;
    throw error;
  }
}

async function planned(
  deps: PlanDeps,
  request: TurnAsked,
  beginning: KnownBeginning,
): Promise<PlannedTurn | null> {
  const { protocol } = request;
  const session = namedBy(request);
  if (session === null || recallAsked(request.headers) === true) return null;
  const { store, world, histories } = deps;
  const { ref } = session;
  const isAsItComes = (head: Head | null): head is Head =>
    head !== null &&
    head.settings.format === formatOf(protocol) &&
    isOnlyAppended(head.state) &&
    !configOf(head.settings, world.server).gateway_recall;
  const before = await store.head(ref);
  if (!isAsItComes(before)) return null;
  const rest = readKnownRest(request.body, beginning, historyField(protocol));
  if (rest === null) return null;
  const { items } = rest;
  const body = { ...beginning.fields, ...rest.fields };
  if (asksForMore(protocol, body, items)) return null;
  const { start } = beginning.place;
  const vary_after = varyAfter(session.rule);
  const telling = new Telling(formatOf(protocol), items, before.state.told, start, vary_after);
  const history = histories.onward(request.upstream, telling);
  if (history === null) return null;
  const settled = await settleSession(deps, session, request, body);
  if (!settled.ok) return null;
  const synced = await sync(deps, ref, {
    items,
    start,
    telling,
    format: undefined,
    on_divergence: 'fork',
    reads_context: false,
    vary_after,
    expected: null,
    idempotency: null,
  });
  if (!synced.ok || synced.value.synced.session_id !== ref.session_id) return null;
  const head = await store.head(ref);
  if (!isAsItComes(head)) return null;
  const { settings, state } = head;
  return {
    kind: 'turn',
    session_id: ref.session_id,
    version: state.version,
    body: null,
    is_replaced: false,
    recall: null,
    saved: 0,
    isFull: isFull(deps, head, () => roughTokens(rest.beside)),
    window: settings.context_window,
    model_window: modelWindow(deps, request, body),
    isFitted: false,
    isStored: protocol === 'responses' && body.store !== false,
    isDelta: false,
    keys: [],
    history,
    outline: rest.outline(telling),
  };
}

/** An item at the head of what was read before, which holds an answer. */
const ANSWERED: Item = { role: 'assistant', content: '' };

/** Whether a request is no plain turn of a conversation that it holds itself. */
function asksForMore(protocol: Protocol, body: JsonObject, items: readonly Item[]): boolean {
  if (isJsonObject(body.thread) || body.conversation != null) return true;
  if (answerBefore(protocol, body) !== null) return true;
  if (withoutSummaryQuestion(items) !== null) return true;
  if (splitPassing(protocol, [ANSWERED, ...items]).passing.length > 0) return true;
  if (protocol === 'messages' && summaryTurn([ANSWERED, ...items]) !== null) return true;
  return items.some(
    (item) => isTrigger(item) || isProviderCompaction(item) || referredId(item) !== null,
  );
}
