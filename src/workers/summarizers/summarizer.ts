import type { Usage } from '../../domain/items/item.ts';
import type { FailureReason } from '../../domain/session/events.ts';

/** What a model is asked: data only, built by `src/domain/compaction/prompt.ts`. */
export type SummaryRequest = {
  system: string;
  prompt: string;
  /** Tokens that the answer may take. */
  max_output_tokens: number;
  timeout_ms: number;
  signal: AbortSignal;
};

/**
 * The answer of a summariser. Failures carry kind and retryability, never request or reply text
 * (DESIGN, decision 9). `is_cut_off`: the answer reached its limit of tokens. `retry_after_ms` is what
 * the provider asked for; `usage` of a failure is what it has cost all the same, as far as the provider
 * said so.
 */
export type SummaryAnswer =
  | { ok: true; text: string; is_cut_off: boolean; model: string; usage: Usage }
  | {
      ok: false;
      reason: FailureReason;
      message: string;
      retryable: boolean;
      retry_after_ms?: number;
      usage?: Usage;
    };

/** One model that can write summaries. `context_window` in tokens, null when it is not known. */
export interface ModelSummarizer {
  readonly name: string;
  readonly context_window: number | null;
  summarize(request: SummaryRequest): Promise<SummaryAnswer>;
}
