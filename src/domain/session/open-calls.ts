import { addTo } from '../group-by.ts';
import type { Normalised, ToolCall, ToolResult } from '../items/item.ts';
import { callIds } from '../items/pairing.ts';
import { endsTurn } from '../items/speaker.ts';
import { hasSucceeded } from '../policy/signals.ts';
import { callKey } from './call-key.ts';

/**
 * The tool calls that wait for a result and the results that wait for a call, by the keys of their
 * ids, as far as they are remembered: what an append can be told without reading the log.
 */
export type OpenCalls = {
  /** The keys of each call: it has two where its result may name either of two ids. */
  calls: string[][];
  results: string[];
  /** Those of the waiting results that tell of a success, since the user spoke last. */
  succeeded: string[];
  /** Calls were forgotten: a result without a known call may still have one. */
  is_partial: boolean;
};

export const NO_OPEN_CALLS: OpenCalls = {
  calls: [],
  results: [],
  succeeded: [],
  is_partial: false,
};

/** Calls and results beyond so many are forgotten, oldest first. */
const MOST_CALLS = 128;
const MOST_RESULTS = 32;

/** What items leave open that follow. */
export function openCallsAfter(before: OpenCalls, items: readonly Normalised[]): OpenCalls {
  const open = new OpenIds(before);
  for (const item of items) {
    // There are clients that use ids again: a result of an earlier turn says nothing of this one.
    if (open.remembersSuccess && endsTurn(item)) open.forgetSuccess();
    for (const part of toolParts(item)) open.add(part);
  }
  return open.state();
}

type Named = { seq: number; id: string };

/**
 * What a client should know about the calls and results of an append, null when they simply follow
 * each other: results whose call is not known, and those that came before it. `before` is what was
 * open then.
 */
export function openCallsNote(
  before: OpenCalls,
  items: readonly { seq: number; item: Normalised }[],
): string | null {
  const open = new OpenIds(before);
  const unknown = new Map<string, Named[]>();
  const early: Named[] = [];
  for (const { seq, item } of items) {
    for (const part of toolParts(item)) {
      const isKnown = open.add(part);
      if (part.kind === 'tool_call') {
        const waiting = callIds(part).map((id) => unknown.get(id) ?? []);
        const result = waiting.find(({ length }) => length > 0)?.shift();
        if (result !== undefined) early.push(result);
      } else if (!isKnown) {
        addTo(unknown, part.call_id, { seq, id: part.call_id });
      }
    }
  }
  const left = before.is_partial ? [] : [...unknown.values()].flat();
  const notes = [
    ...(left.length === 0 ? [] : [unknownNote(left)]),
    ...(early.length === 0 ? [] : [earlyNote(early)]),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}

type ToolPart = ToolCall | ToolResult;

function toolParts(item: Normalised): ToolPart[] {
  if (item.kind !== 'message') return [];
  return item.parts.filter((part) => part.kind === 'tool_call' || part.kind === 'tool_result');
}

/** The keys of the calls, as far as they are open, that a result with one of these keys closes. */
export function keysOfCalls({ calls }: OpenCalls, keys: readonly string[]): Set<string> {
  return new Set(keys.flatMap((key) => calls.findLast((own) => own.includes(key)) ?? [key]));
}

class OpenIds {
  #calls: string[][];
  #results: string[];
  #succeeded: string[];
  #isPartial: boolean;

  constructor({ calls, results, succeeded, is_partial }: OpenCalls) {
    this.#calls = [...calls];
    this.#results = [...results];
    this.#succeeded = [...succeeded];
    this.#isPartial = is_partial;
  }

  /** Adds a call, or a result; answers whether its partner was waiting. */
  add(part: ToolPart): boolean {
    if (part.kind === 'tool_result') {
      const id = callKey(part.call_id);
      const call = this.#calls.findLastIndex((keys) => keys.includes(id));
      if (call !== -1) {
        this.#calls.splice(call, 1);
        return true;
      }
      this.#results.push(id);
      if (this.#results.length > MOST_RESULTS) this.#results.shift();
      if (hasSucceeded(part)) this.#succeeded.push(id);
      if (this.#succeeded.length > MOST_RESULTS) this.#succeeded.shift();
      return false;
    }
    // What waited may have been a second result of an earlier call: one more is no surprise.
    const ids = callIds(part).map(callKey);
    this.#calls.push(ids);
    while (this.#calls.length > MOST_CALLS) {
      this.#calls.shift();
      this.#isPartial = true;
    }
    for (const id of ids) remove(this.#succeeded, id);
    return ids.some((id) => remove(this.#results, id));
  }

  get remembersSuccess(): boolean {
    return this.#succeeded.length > 0;
  }

  forgetSuccess(): void {
    this.#succeeded = [];
  }

  state(): OpenCalls {
    return {
      calls: this.#calls,
      results: this.#results,
      succeeded: this.#succeeded,
      is_partial: this.#isPartial,
    };
  }
}

/** Takes the newest of the id out of the list; answers whether there was one. */
function remove(ids: string[], id: string): boolean {
  const at = ids.lastIndexOf(id);
  if (at !== -1) ids.splice(at, 1);
  return at !== -1;
}

function unknownNote(results: readonly Named[]): string {
  const [what, answers] =
    results.length === 1 ? ['result', 'answers'] : [`${results.length} results`, 'answer'];
  return (
    `${what} ${answers} no open tool call and will not appear in the context unless a call with ` +
    `its id is appended: ${listed(results)}`
  );
}

function earlyNote(results: readonly Named[]): string {
  const what = results.length === 1 ? 'a result' : `${results.length} results`;
  return `${what} came before the tool call, and the context shows it after the call: ${listed(results)}`;
}

/** So many are named. */
const MOST_NAMED = 5;

function listed(results: readonly Named[]): string {
  const named = results.slice(0, MOST_NAMED).map(({ seq, id }) => {
    const short = id.length > 64 ? `${id.slice(0, 64)}…` : id;
    return `${short} (item ${seq})`;
  });
  const more = results.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
