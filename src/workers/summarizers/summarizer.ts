import type { Summary } from '../../domain/compaction/finish-full.ts';
import type { Templates } from '../../domain/compaction/prompt.ts';
import type { SummaryOrder } from '../../domain/compaction/summary-order.ts';
import type { Usage } from '../../domain/items/item.ts';
import type { Json } from '../../domain/json.ts';
import type { FailureReason } from '../../domain/session/events.ts';

/** Why nothing came of it: kind and retryability, never text of a request or an answer. */
export type SummaryFailure = {
  ok: false;
  reason: FailureReason;
  message: string;
  retryable: boolean;
  /** What the provider asked to wait, in milliseconds. */
  retry_after_ms?: number;
  /** Attempts after which asking again is no use, where that is not for the configuration to say. */
  most_attempts?: number;
  /** What it has cost all the same, as far as the provider said so. */
  usage?: Usage;
  /** Whom that was paid to, as `provider/model`, if not to the one that the summariser is named after. */
  model?: string;
};

/** A text that tells what was covered. */
export type WrittenText = { ok: true; kind: 'text'; summary: Omit<Summary, 'summarizer_ms'> };
/** What a provider puts in place of what was covered; nobody has looked at it yet. */
export type WrittenItems = { ok: true; kind: 'items'; items: Json[]; model: string; usage: Usage };
export type Written = WrittenText | WrittenItems;

/** `templates`: the prompt files, for those that ask a model. */
export type Task = SummaryOrder & { templates: Templates };

/**
 * Who writes what stands for the covered part of a context. Never throws for what a provider does.
 * `offline`: nobody is asked, so it takes no slot for models, costs nothing and never fails.
 */
export type Summarizer<W extends Written = Written> = {
  readonly kind: 'offline' | 'asking';
  /** As a configuration names it: `extractive`, or `provider/model`. */
  readonly name: string;
  summarize(task: Task, signal: AbortSignal): Promise<W | SummaryFailure>;
};
