import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Format } from '../../domain/items/codecs.ts';
import { isOwnTool } from '../../domain/policy/own-tools.ts';
import { documentsOf, SEARCHED_EVENTS } from '../../domain/search/documents.ts';
import { indexedId, indexedName } from '../../domain/search/names.ts';
import { type Tokens, tokensOf } from '../../domain/search/tokens.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import type { EventStore, SessionRef, StoredEvent } from '../ports/event-store.ts';
import type { Size } from '../ports/ports.ts';
import type { NewDocument, SearchIndex } from '../ports/search-index.ts';
import { Slices } from '../slices.ts';
import { saidAtMs } from './said-at.ts';

/** Of one write: it holds up the appends that come meanwhile. */
const EVENTS_AT_A_TIME = 100;
const BYTES_AT_A_TIME = 200_000;
/** Of one write, so that it takes some ten milliseconds. */
const TOKENS_AT_A_TIME = 5_000;

const NO_TOKENS: Tokens = { words: [], names: [] };

/** What may be read at once: the bytes of one event, and the JSON values of all. */
export type Readable = Pick<Size, 'bytes' | 'values'>;

/**
 * The next events of which there is something to be found, and the version that they reach to. Throws
 * ElsewhereError where one of them has more bytes, or they have more values, than `most`.
 */
export async function nextEvents(
  store: EventStore,
  ref: SessionRef,
  { after, up_to, most }: { after: number; up_to: number; most: Readable | undefined },
): Promise<{ events: StoredEvent[]; to: number }> {
  const sized = most === undefined ? {} : { largest: most.bytes, most_values: most.values };
  const query = { after, up_to, types: SEARCHED_EVENTS, ...sized };
  const bounds = { limit: EVENTS_AT_A_TIME, max_bytes: BYTES_AT_A_TIME };
  const events = await store.events(ref, { ...query, ...bounds });
  const last = events.at(-1);
  if (last === undefined) return { events, to: up_to };
  // Either may hold one large event, which takes its time to parse.
  await nextTurn();
  const isLast = await isNothing(store.events(ref, { ...query, after: last.version, limit: 1 }));
  await nextTurn();
  return { events, to: isLast ? up_to : last.version };
}

/** What is too large to be read here is something. */
async function isNothing(read: Promise<StoredEvent[]>): Promise<boolean> {
  try {
    return (await read).length === 0;
  } catch (error) {
    if (error instanceof ElsewhereError) return false;
    throw error;
  }
}

/** `result_of`: the call of a result whose tool stands in none of these events before it. */
type Unnamed = NewDocument & { result_of: string | null };

/**
 * What the index is told of events, which so many documents of the session come `before`. Results are
 * named after the tools of their calls; a call that comes later, with an id used again, names none: so
 * it does not matter which events are read together.
 */
export async function newDocuments(
  search: SearchIndex,
  ref: SessionRef,
  events: readonly StoredEvent[],
  format: Format,
  before: number,
): Promise<NewDocument[]> {
  const documents: Unnamed[] = [];
  const called = new Map<string, string | null>();
  const slices = new Slices();
  for (const event of events) {
    for (const [part, found] of documentsOf(event, format).entries()) {
      const { kind, role, text } = found;
      const tool = found.tool === null ? null : indexedName(found.tool);
      const call_id = found.tool_use_id === null ? null : indexedId(found.tool_use_id);
      const isResult = kind === 'tool_result' && call_id !== null;
      if (kind === 'tool_call' && call_id !== null) called.set(call_id, tool);
      documents.push({
        seq: event.version,
        part,
        at_ms: saidAtMs(event),
        kind,
        role,
        tool: isResult ? (called.get(call_id) ?? null) : tool,
        call_id: kind === 'tool_call' ? call_id : null,
        result_of: isResult && !called.has(call_id) ? call_id : null,
        tokens: tokensOf(text),
      });
      if (slices.isOver) await slices.next();
    }
  }
  const missing = documents.flatMap(({ result_of }) => (result_of === null ? [] : [result_of]));
  const tools = missing.length === 0 ? null : await search.toolsOf(ref, missing, before);
  return documents.map(({ result_of, ...document }) => {
    const tool = result_of === null ? document.tool : (tools?.get(result_of) ?? null);
    // What was searched for and recalled says nothing new; a row is left, which later results need.
    const tokens = isOwnTool(tool ?? '') ? NO_TOKENS : document.tokens;
    return { ...document, tool, tokens };
  });
}

/** What is written in one go of the documents after the first so many: one at least, if there is any. */
export function nextWrite(documents: readonly NewDocument[], begun: number): NewDocument[] {
  const some: NewDocument[] = [];
  let tokens = 0;
  for (let next = documents[begun]; next !== undefined; next = documents[begun + some.length]) {
    tokens += next.tokens.words.length + next.tokens.names.length;
    if (some.length > 0 && tokens > TOKENS_AT_A_TIME) return some;
    some.push(next);
  }
  return some;
}
