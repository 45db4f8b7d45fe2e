import { describeFlaw, JSON_DEPTH, type JsonFlaw } from '../../../domain/exact-json.ts';
import type { Usage } from '../../../domain/items/item.ts';
import type { Json } from '../../../domain/json.ts';
import { apiError } from '../failures.ts';
import type { SummaryFailure } from '../summarizer.ts';

/** What a provider's compaction gave: items that nobody has looked at yet, and what they cost. */
export type RemoteAnswer = { ok: true; output: Json[]; usage: Usage } | SummaryFailure;

/** The failure of an answer whose items would not be stored as the provider gave them out. */
export function unkeepable(flaw: JsonFlaw): SummaryFailure {
  return apiError(`openai: ${describeFlaw(flaw, JSON_DEPTH, 'the answer')}`, false);
}
