import { itemText } from '../../domain/context/item-text.ts';
import { underHeading } from '../../domain/context/under-heading.ts';
import { codecFor, type Format } from '../../domain/items/codecs.ts';
import { resultPartText } from '../../domain/items/convert.ts';
import type { Item } from '../../domain/items/item.ts';
import { type LinePiece, type LinePlace, linePiece, linesOf } from '../../domain/line-piece.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { READ_BYTES } from '../event-page.ts';
import { itemEvents } from '../event-pages.ts';
import { resultAmong } from '../find-tool-result.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import type { SearchedSession } from '../search/scopes.ts';
import { covered } from './covered.ts';
import { type Asker, reachable } from './reach.ts';

/** What is wanted back: `seq`s from and to, both included. */
export type Wanted =
  | { kind: 'result'; tool_use_id: string }
  | { kind: 'items'; from: number; to: number }
  | { kind: 'compaction'; compaction_id: string; from: number; to: number };

export type RecallRequest = {
  wanted: Wanted;
  /** In which session; without it in the own one, and what it was forked from. */
  session_id?: string | undefined;
  /** Of the result, or of the first item. */
  start: LinePlace & { to_line: number };
};

/** The text of a piece may stand under a heading, see `underHeading`. */
type RecalledPiece = { seq: number; at: string; what: string; piece: LinePiece };

export type Recalled = {
  session_id: string;
  pieces: RecalledPiece[];
  /** Where it goes on: in which item, and where in that. Null: that was all. */
  next: ({ seq: number } & LinePlace) | null;
};

/** Of an answer: some 6,000 tokens, which every client shows its model in full. */
const MOST_BYTES = 24_000;
/** What is said about each piece. */
const BYTES_OF_HEADER = 120;
const ITEMS_PER_READ = 20;
const AT_A_TIME = { limit: ITEMS_PER_READ, max_bytes: READ_BYTES };

/**
 * The original of what is not in the context any more, in a piece that a model can take: a tool result,
 * a range of items, or what a compaction took away (SPEC 2, section 21). Rejects: session_not_found,
 * not_found, compaction_not_found, invalid_request.
 */
export async function recall(
  { store }: Pick<Ports, 'store'>,
  asker: Asker,
  { wanted, session_id, start }: RecallRequest,
): Promise<Outcome<Recalled>> {
  const sessions = await reachable(store, asker, session_id);
  if (!sessions.ok) return sessions;
  switch (wanted.kind) {
    case 'result':
      return resultOf(store, sessions.value, wanted.tool_use_id, start);
    case 'items': {
      const [session] = sessions.value;
      const format = session && (await formatOf(store, session.ref));
      if (session === undefined || format === null || format === undefined) return nothingThere();
      const { session_id } = session.ref;
      return inPieces(session_id, format, itemsIn(store, session, wanted), start);
    }
    case 'compaction':
      return takenAway(store, sessions.value[0]?.ref ?? asker.ref, wanted, start);
    default:
      return wanted satisfies never;
  }
}

async function resultOf(
  store: Ports['store'],
  sessions: readonly SearchedSession[],
  id: string,
  start: RecallRequest['start'],
): Promise<Outcome<Recalled>> {
  const found = await resultAmong(store, sessions, id);
  if (found === null) {
    return reject(
      'not_found',
      'no result with this tool_use_id was ever recorded in this session: check the id, or look for ' +
        'words of the result with search_history',
    );
  }
  const { session_id, seq, at, result } = found;
  const text = underHeading(result.content.map(resultPartText).join('\n'));
  const piece = linePiece(text, start, MOST_BYTES);
  if (piece === null) return tooFar(text);
  const { next } = piece;
  const what = `result of ${id}${result.is_error ? ', an error' : ''}`;
  return accept({ session_id, pieces: [{ seq, at, what, piece }], next: next && { seq, ...next } });
}

type Told = { seq: number; at: string; item: Item };

/** The items of a session in a range, page by page. */
async function* itemsIn(
  store: Ports['store'],
  { ref, up_to }: SearchedSession,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Told> {
  const query = { after: from - 1, up_to: Math.min(to, up_to), ...AT_A_TIME };
  for await (const { version, at, data } of itemEvents(store, ref, query)) {
    yield { seq: version, at, item: data.item };
  }
}

async function takenAway(
  store: Ports['store'],
  ref: SessionRef,
  { compaction_id, from, to }: Extract<Wanted, { kind: 'compaction' }>,
  start: RecallRequest['start'],
): Promise<Outcome<Recalled>> {
  const page = (after: number) =>
    covered({ store }, ref, compaction_id, { after, limit: ITEMS_PER_READ });
  const first = await page(from - 1);
  if (!first.ok) return first;
  const session_id = first.value.data[0]?.session_id ?? ref.session_id;
  const format = await formatOf(store, { tenant: ref.tenant, session_id });
  if (format === null) return nothingThere();
  async function* items(): AsyncGenerator<Told> {
    for (let read = first; read.ok; ) {
      for (const item of read.value.data) {
        if (item.seq > to) return;
        yield item;
      }
      if (read.value.next_cursor === null) return;
      read = await page(Number(read.value.next_cursor));
    }
  }
  const pieces = await inPieces(session_id, format, items(), start);
  if (pieces.ok || pieces.rejection.code !== 'not_found' || first.value.data.length > 0)
    return pieces;
  return reject('not_found', 'this compaction has taken nothing away, or nothing of these items');
}

/** As many of the items as fit into an answer. */
async function inPieces(
  session_id: string,
  format: Format,
  items: AsyncIterable<Told>,
  start: RecallRequest['start'],
): Promise<Outcome<Recalled>> {
  const codec = codecFor(format);
  const pieces: RecalledPiece[] = [];
  let left = MOST_BYTES;
  for await (const { seq, at, item } of items) {
    const isFirst = pieces.length === 0;
    left -= BYTES_OF_HEADER;
    if (!isFirst && left <= 0) return accept({ session_id, pieces, next: { seq, ...BEGINNING } });
    const { what, text } = itemText(codec.normalise(item));
    // Where the first begins is said; the others are told from their beginning.
    const asked = isFirst ? start : { ...BEGINNING, to_line: Number.MAX_SAFE_INTEGER };
    const piece = linePiece(text, asked, left);
    if (piece === null) return tooFar(text);
    pieces.push({ seq, at, what, piece });
    left -= Buffer.byteLength(piece.text);
    const { next } = piece;
    if (next !== null) return accept({ session_id, pieces, next: { seq, ...next } });
  }
  return pieces.length === 0 ? nothingThere() : accept({ session_id, pieces, next: null });
}

const BEGINNING = { line: 1, character: 1 };
async function formatOf(
  store: Ports['store'],
  ref: SearchedSession['ref'],
): Promise<Format | null> {
  return (await store.head(ref))?.settings.format ?? null;
}

function nothingThere(): Outcome<never> {
  return reject(
    'not_found',
    'there is no item with such a number: search_history and context_status tell which there are',
  );
}

function tooFar(text: string): Outcome<never> {
  const lines = linesOf(text);
  return reject('invalid_request', `it has ${lines === 1 ? '1 line' : `${lines} lines`} only`);
}
