import { setImmediate as nextTurn } from 'node:timers/promises';
import { itemText } from '../../domain/context/item-text.ts';
import { codecFor, type Format } from '../../domain/items/codecs.ts';
import { resultPartText } from '../../domain/items/convert.ts';
import { type LinePiece, type LinePlace, linePiece, linesOf } from '../../domain/line-piece.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { READ_BYTES } from '../event-page.ts';
import { newestResult } from '../find-tool-result.ts';
import type { Ports } from '../ports/ports.ts';
import type { SearchedSession } from '../search/scopes.ts';
import { type Asker, reachable } from './reach.ts';
import { takenAway } from './taken-away.ts';

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

export type RecalledPiece = { seq: number; at: string; what: string; piece: LinePiece };

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
      if (session === undefined) return nothingThere();
      return itemsOf(store, session, { ...wanted, seqs: null }, start);
    }
    case 'compaction': {
      const taken = await takenAway(store, sessions.value, wanted.compaction_id);
      if (!taken.ok) return taken;
      const { session, from, to, seqs } = taken.value;
      const narrowed = { from: Math.max(from, wanted.from), to: Math.min(to, wanted.to), seqs };
      return itemsOf(store, session, narrowed, start);
    }
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
  for (const { ref, up_to } of sessions) {
    const format = await formatOf(store, ref);
    if (format === null) continue;
    const found = await newestResult(store, ref, format, id, up_to);
    if (found === null) continue;
    const { seq, at, result } = found;
    const text = result.content.map(resultPartText).join('\n');
    const piece = linePiece(text, start, MOST_BYTES);
    if (piece === null) return tooFar(text);
    const { next } = piece;
    const what = `result of ${id}${result.is_error ? ', an error' : ''}`;
    const pieces = [{ seq, at, what, piece }];
    return accept({ session_id: ref.session_id, pieces, next: next && { seq, ...next } });
  }
  return reject(
    'not_found',
    'no result with this tool_use_id was ever recorded in this session: check the id, or look for ' +
      'words of the result with search_history',
  );
}

/** `seqs`: only these, null: all in the range. */
type Range = { from: number; to: number; seqs: ReadonlySet<number> | null };

async function itemsOf(
  store: Ports['store'],
  { ref, up_to }: SearchedSession,
  { from, to, seqs }: Range,
  start: RecallRequest['start'],
): Promise<Outcome<Recalled>> {
  const format = await formatOf(store, ref);
  if (format === null) return nothingThere();
  const codec = codecFor(format);
  const { session_id } = ref;
  const pieces: RecalledPiece[] = [];
  let left = MOST_BYTES;
  const last = Math.min(to, up_to);
  for (let after = from - 1; after < last; ) {
    const events = await store.events(ref, {
      types: ['item.appended'],
      after,
      up_to: last,
      limit: ITEMS_PER_READ,
      max_bytes: READ_BYTES,
    });
    for (const event of events) {
      after = event.version;
      if (event.type !== 'item.appended' || seqs?.has(after) === false) continue;
      const isFirst = pieces.length === 0;
      left -= BYTES_OF_HEADER;
      if (!isFirst && left <= 0) return accept({ session_id, pieces, next: startOf(after) });
      const { what, text } = itemText(codec.normalise(event.data.item));
      // Where the first begins is said; the others are told from their beginning.
      const asked = isFirst ? start : BEGINNING;
      const piece = linePiece(text, asked, left);
      if (piece === null) return tooFar(text);
      pieces.push({ seq: after, at: event.at, what, piece });
      left -= Buffer.byteLength(piece.text);
      const { next } = piece;
      if (next !== null) return accept({ session_id, pieces, next: { seq: after, ...next } });
    }
    if (events.length === 0) break;
    await nextTurn();
  }
  return pieces.length === 0 ? nothingThere() : accept({ session_id, pieces, next: null });
}

const BEGINNING = { line: 1, character: 1, to_line: Number.MAX_SAFE_INTEGER };

function startOf(seq: number): Recalled['next'] {
  return { seq, line: 1, character: 1 };
}

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
