import type { Item, Normalised } from '../items/item.ts';
import { cachedShareOf } from '../items/usage.ts';

/** What the answers in a session say about the calls of its model. */
export type ModelCalls = {
  count: number;
  /** The newest message is the model's: what it says next belongs to the same call. */
  is_answering: boolean;
  /** How much of its input the newest call that says so has left in the provider's cache, 0 to 1. */
  cached_share: number | null;
  /** The newest model that a message names. */
  model: string | null;
};

export const NO_CALLS: ModelCalls = {
  count: 0,
  is_answering: false,
  cached_share: null,
  model: null,
};

/** Longer names are none. */
const LONGEST_NAME = 200;

/** The calls after one more message; pieces of one answer that follow each other are one call. */
export function callsAfter(calls: ModelCalls, item: Item, normalised: Normalised): ModelCalls {
  if (normalised.kind !== 'message') return calls;
  if (normalised.role !== 'assistant') {
    return calls.is_answering ? { ...calls, is_answering: false } : calls;
  }
  const { model = '' } = normalised;
  const isName = model !== '' && model.length <= LONGEST_NAME && !normalised.is_api_error_message;
  return {
    count: calls.is_answering ? calls.count : calls.count + 1,
    is_answering: true,
    cached_share: cachedShareOf(item.usage) ?? calls.cached_share,
    model: isName ? model : calls.model,
  };
}
