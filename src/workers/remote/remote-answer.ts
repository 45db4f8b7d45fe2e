import type { Json } from '../../domain/json.ts';
import type { SummarizerUsage } from '../../domain/session/events.ts';
import type { SummaryFailure } from '../summarizers/failures.ts';

/** What a provider's compaction gave: items that nobody has looked at yet, and what they cost. */
export type RemoteAnswer = { ok: true; output: Json[]; usage: SummarizerUsage } | SummaryFailure;
