import { addTo } from '../../group-by.ts';
import { stringField } from '../../json.ts';
import { withLastCacheMarks } from '../cache-marks.ts';
import type { Extent } from '../codec.ts';
import { visibleItems } from '../control-items.ts';
import { anthropicId } from '../convert.ts';
import type { Item } from '../item.ts';
import { MISSING_RESULT_NOTE, type PairedPart, pairedParts } from '../pairing.ts';
import { endsTurn } from '../speaker.ts';
import { anthropicMessage } from './encode.ts';
import { normaliseAnthropic } from './normalise.ts';
import { anthropicRequestMessage } from './request.ts';
import { dropUnpairedServerTools, freeStrayCalls } from './server-tools.ts';
import { takeSystemMessages } from './system-messages.ts';
import {
  isCall,
  isResult,
  isThinking,
  mergeTurns,
  messageOfTurn,
  type Slot,
  type Turn,
  turnOf,
  turnOfResults,
} from './turns.ts';

/** Marks what the client shows the model beside the user's words. */
const NOTE: Item = { is_meta: true };
const FIRST_USER_NOTE = '[The conversation continues from here.]';

/** The items as Anthropic's Messages API accepts them, see `Codec.render`. */
export function renderAnthropic(items: readonly Item[], extent: Extent = 'whole'): Item[] {
  const shown = visibleItems(items, (text) => anthropicMessage('user', text, NOTE));
  const pieces = shown.map((item) => {
    const source = { id: stringField(item, 'id'), isOfUser: endsTurn(normaliseAnthropic(item)) };
    return turnOf(anthropicRequestMessage(item), source);
  });
  dropUnsignedThinking(pieces);
  joinResults(pieces, pairedParts(items.map(normaliseAnthropic)));
  const { others, putBack } = takeSystemMessages(moveEarlyResults(pieces));
  let turns = mergeTurns(others);
  dropTrailingThinking(turns);
  turns = mergeTurns(turns);
  placeResults(turns);
  turns = mergeTurns(turns);
  dropUnpairedServerTools(turns);
  if (extent === 'whole') freeStrayCalls(turns);
  dropTrailingThinking(turns);
  turns = mergeTurns(turns);
  putResultsFirst(turns);
  repairCallIds(turns);
  answerAbandonedCalls(turns);
  return withLastCacheMarks(putBack(startWithUser(turns)).map(messageOfTurn));
}

/** Joins each call with its result and drops results without a partner. */
function joinResults(turns: readonly Turn[], paired: readonly PairedPart[]): void {
  const slots = turns
    .flatMap((turn) => turn.slots)
    .filter((slot) => isCall(slot) || isResult(slot));
  const orphans = new Set<Slot>();
  for (const [index, slot] of slots.entries()) {
    slot.position = index;
    const partner = paired[index]?.partner ?? null;
    const other = partner === null ? undefined : slots[partner];
    if (isCall(slot)) slot.result = other ?? null;
    else if (other === undefined) orphans.add(slot);
  }
  for (const turn of turns) turn.slots = turn.slots.filter((slot) => !orphans.has(slot));
}

/**
 * Puts a result that stands before its call into a message of its own after the message that holds the
 * call: what the model said to the result comes after it then.
 */
function moveEarlyResults(pieces: readonly Turn[]): Turn[] {
  const early = new Set<Slot>();
  /** Per piece the results that belong after it. */
  const moved = new Map<number, Slot[]>();
  const ends = endsOfCalls(pieces);
  for (const [index, piece] of pieces.entries()) {
    for (const { result, position } of piece.slots) {
      if (result === null || result.position > position) continue;
      early.add(result);
      addTo(moved, ends[index] ?? index, result);
    }
  }
  if (early.size === 0) return [...pieces];
  return pieces.flatMap((piece, index) => {
    const slots = piece.slots.filter((slot) => !early.has(slot));
    const own = { ...piece, slots };
    const results = moved.get(index);
    return results === undefined ? [own] : [own, turnOfResults(results)];
  });
}

/** Per piece the last one that its message may reach to: pieces of one id, or with nothing but calls. */
function endsOfCalls(pieces: readonly Turn[]): number[] {
  const ends = pieces.map((_, index) => index);
  for (let index = pieces.length - 2; index >= 0; index--) {
    const [piece, next] = [pieces[index], pieces[index + 1]];
    if (piece?.role !== 'assistant' || next?.role !== 'assistant') continue;
    const isSame = next.id !== undefined && next.id === piece.id;
    if (isSame || next.slots.every(isCall)) ends[index] = ends[index + 1] ?? index;
  }
  return ends;
}

/** The API refuses thinking without the signature that it gave: an answer that broke off, or another model's. */
function dropUnsignedThinking(pieces: readonly Turn[]): void {
  for (const piece of pieces) {
    piece.slots = piece.slots.filter(
      ({ block }) => block.type !== 'thinking' || typeof block.signature === 'string',
    );
  }
}

/** The API refuses an assistant message that ends with thinking: the response was cut off there. */
function dropTrailingThinking(turns: readonly Turn[]): void {
  for (const turn of turns) {
    if (turn.role !== 'assistant') continue;
    const last = turn.slots.findLastIndex((slot) => !isThinking(slot));
    turn.slots = turn.slots.slice(0, last + 1);
  }
}

/** Puts every result in front of the user message that follows its call, in log order. */
function placeResults(turns: readonly Turn[]): void {
  for (const turn of turns) {
    if (turn.role === 'user') turn.slots = turn.slots.filter((slot) => !isResult(slot));
  }
  for (const [index, turn] of turns.entries()) {
    const results = turn.slots.flatMap((slot) => slot.result ?? []);
    // No result stands before its call any more, so a user message follows wherever there is one.
    const home = turns[index + 1];
    if (home === undefined || results.length === 0) continue;
    results.sort((a, b) => a.position - b.position);
    home.slots = [...results, ...home.slots];
    home.isString = false;
  }
}

/** Where two user messages became one, the results of the second stand after the words of the first. */
function putResultsFirst(turns: readonly Turn[]): void {
  for (const turn of turns) {
    if (turn.role !== 'user') continue;
    const results = turn.slots.filter(isResult);
    turn.slots = [...results, ...turn.slots.filter((slot) => !isResult(slot))];
  }
}

/**
 * The API wants every call id once per request, in letters, digits, `_` and `-`. Where the client used
 * an id again, or one that another provider gave, the call and its result are renamed together.
 */
function repairCallIds(turns: readonly Turn[]): void {
  /** Per id, how often it was used so far. */
  const uses = new Map<string, number>();
  for (const call of turns.flatMap((turn) => turn.slots).filter(isCall)) {
    const own = String(call.block.id);
    const id = anthropicId(own);
    let free = id;
    for (let use = uses.get(id) ?? 0; uses.has(free); use++) {
      free = `${id}_${use + 1}`;
      uses.set(id, use + 1);
    }
    uses.set(free, 1);
    if (free !== own) rename(call, free);
  }
}

function rename(call: Slot, id: string): void {
  call.block = { ...call.block, id };
  if (call.result !== null) call.result.block = { ...call.result.block, tool_use_id: id };
}

/** Calls without result get a note as their result, unless they are open at the very end. */
function answerAbandonedCalls(turns: readonly Turn[]): void {
  for (const [index, turn] of turns.entries()) {
    const home = turns[index + 1];
    const isOpenEnd = index + 2 >= turns.length && (home?.slots.every(isResult) ?? true);
    if (home === undefined || isOpenEnd) continue;
    const missing = turn.slots.filter((slot) => isCall(slot) && slot.result === null);
    if (missing.length === 0) continue;
    const from = home.slots.findLastIndex(isResult) + 1;
    home.slots = [...home.slots.slice(0, from), ...missing.map(noteFor), ...home.slots.slice(from)];
    home.isString = false;
  }
}

function noteFor(call: Slot): Slot {
  const block = {
    type: 'tool_result',
    tool_use_id: String(call.block.id),
    content: MISSING_RESULT_NOTE,
    is_error: true,
  };
  return { block, result: null, position: call.position };
}

/** A conversation starts with the user, unless its head is the provider's own compaction block. */
function startWithUser(turns: Turn[]): Turn[] {
  const first = turns[0];
  if (first?.role !== 'assistant' || first.slots[0]?.block.type === 'compaction') return turns;
  return [turnOf(anthropicMessage('user', FIRST_USER_NOTE)), ...turns];
}
