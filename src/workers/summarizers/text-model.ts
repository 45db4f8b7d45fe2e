import type { Usage } from '../../domain/items/item.ts';
import type { SummaryFailure } from './summarizer.ts';

/** What a model is asked: data only, built by `src/domain/compaction/prompt.ts`. */
export type ModelRequest = {
  system: string;
  prompt: string;
  /** Tokens that the answer may take. */
  max_output_tokens: number;
  timeout_ms: number;
  signal: AbortSignal;
};

/** `is_cut_off`: the answer reached its limit of tokens. */
export type ModelAnswer =
  | { ok: true; text: string; is_cut_off: boolean; model: string; usage: Usage }
  | SummaryFailure;

/** One model that answers a prompt with a text. `context_window` in tokens, null when it is not known. */
export type TextModel = {
  readonly name: string;
  readonly context_window: number | null;
  ask(request: ModelRequest): Promise<ModelAnswer>;
};
