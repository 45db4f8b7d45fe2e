import { flawOf, JSON_DEPTH } from '../../domain/exact-json.ts';
import { elementsOf } from '../../domain/gateway/element-ends.ts';
import { isOnlyAppended } from '../../domain/gateway/in-force.ts';
import { formatOf, historyField, isTrigger, type Protocol } from '../../domain/gateway/protocol.ts';
import { roughTokens } from '../../domain/gateway/rough-tokens.ts';
import { answerBefore } from '../../domain/gateway/session-hint.ts';
import { summaryTurn } from '../../domain/gateway/summary-turn.ts';
import type { Item } from '../../domain/items/item.ts';
import { referredId } from '../../domain/items/openai-responses/references.ts';
import { isProviderCompaction } from '../../domain/items/provider-compaction.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../domain/json.ts';
import { measureJson } from '../../domain/json-text.ts';
import { configOf, type Head } from '../../domain/session/head.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import { sync } from '../sync.ts';
import { PartialTellingError, Telling } from '../telling.ts';
import { bytesTo } from './body-outline.ts';
import { namedBy } from './find-turn-session.ts';
import type { BodyOutline, KnownBeginning } from './known-bodies.ts';
import type { PlanDeps } from './plan-deps.ts';
import { isFull, type PlannedTurn } from './plan-turn.ts';
import type { TurnAsked } from './turn-request.ts';
import { modelWindow, recallAsked, settleSession } from './turn-settings.ts';

/** More is read in another thread, in bytes. */
const MOST_NEW = 131_072;
/** With so many values in it, too. */
const MOST_JSON = { values: 50_000, depth: JSON_DEPTH };

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
  const rest = readRest(request, beginning);
  if (rest === null) return null;
  const { items, body } = rest;
  const { start } = beginning.place;
  const telling = new Telling(formatOf(protocol), items, before.state.told, start);
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

type Rest = {
  items: Item[];
  /** The fields of the request that say something about its session. */
  body: JsonObject;
  /** What stands beside the history, in UTF-16 units. */
  beside: number;
  outline: (telling: Telling) => BodyOutline;
};

/** What a body has behind its known beginning; null where more than that has to be read. */
function readRest(
  { protocol, body: bytes }: TurnAsked,
  { place, fields, names, history_at }: KnownBeginning,
): Rest | null {
  const behind = bytes.subarray(place.end);
  if (behind.byteLength > MOST_NEW) return null;
  const name = historyField(protocol);
  // A mark of the order of bytes stands here in no JSON: it must not vanish.
  const read = new TextDecoder('utf-8', { ignoreBOM: true }).decode(behind);
  const [, gap, next] = /^([ \t\r\n]*)([,\]])/.exec(read) ?? [];
  if (gap === undefined || next !== ',') return null;
  const opening = `{"${name}":[`;
  const text = opening + read.slice(gap.length + 1);
  const { values, depth } = measureJson(text, MOST_JSON);
  if (values > MOST_JSON.values || depth > MOST_JSON.depth) return null;
  const rest = flawOf(text, JSON_DEPTH) === null ? jsonObjectIn(text) : null;
  if (rest === null) return null;
  const items = rest[name];
  const elements = elementsOf(text, name);
  if (elements === null || !isHistory(items)) return null;
  if (names.some((each) => each !== name && Object.hasOwn(rest, each))) return null;
  if (asksForMore(protocol, rest, items)) return null;
  const toBytes = (end: number) => place.end + gap.length + 1 + bytesTo(text, end) - opening.length;
  const end = elements.ends.at(-1) ?? 0;
  return {
    items,
    body: { ...fields, ...rest },
    beside: history_at + text.length - end,
    outline: (telling) => ({
      fields,
      names,
      history_at,
      told: telling.told,
      places: telling.starts
        .filter((start) => start.items < telling.told.items)
        .map((start) => ({
          start,
          end: toBytes(elements.ends[start.items - telling.start.items - 1] ?? 0),
        })),
    }),
  };
}

function isHistory(items: JsonObject[string] | undefined): items is Item[] {
  return Array.isArray(items) && items.every(isJsonObject);
}

/** An item at the head of what was read before, which holds an answer. */
const ANSWERED: Item = { role: 'assistant', content: '' };

/** Whether a request is no plain turn of a conversation that it holds itself. */
function asksForMore(protocol: Protocol, body: JsonObject, items: readonly Item[]): boolean {
  if (isJsonObject(body.thread) || body.conversation != null) return true;
  if (answerBefore(protocol, body) !== null) return true;
  if (protocol === 'messages' && summaryTurn([ANSWERED, ...items]) !== null) return true;
  return items.some(
    (item) => isTrigger(item) || isProviderCompaction(item) || referredId(item) !== null,
  );
}
