import { summarizeExtractively } from '../domain/compaction/extractive/summarize.ts';
import type { Summary } from '../domain/compaction/finish-full.ts';
import type { FullPlan } from '../domain/compaction/full.ts';
import { buildSummaryPrompt, type Templates } from '../domain/compaction/prompt.ts';
import { checkSummary, flawText, type SummaryFlaw } from '../domain/compaction/summary-check.ts';
import { summaryInput } from '../domain/compaction/summary-input.ts';
import type { Usage } from '../domain/items/item.ts';
import type { Config } from '../domain/policy/config.ts';
import type { FailureReason } from '../domain/session/events.ts';
import { NO_TOKENS, sumOfUsage } from '../domain/session/summarizer-usage.ts';
import type { TextCounter } from '../domain/tokens/count.ts';
import type { ModelSummarizer } from './summarizers/summarizer.ts';

export type SummaryJob = {
  plan: FullPlan;
  config: Config;
  count: TextCounter;
  templates: Templates;
  instructions?: string | undefined;
  focus?: string | undefined;
  signal: AbortSignal;
  now: () => number;
};

export type SummaryResult =
  | { ok: true; summary: Summary }
  | {
      ok: false;
      reason: FailureReason;
      message: string;
      retryable: boolean;
      /** What the answers have cost that came to nothing. */
      usage: Usage;
      retry_after_ms?: number | undefined;
      /** Attempts after which asking again is no use, where that is not for the configuration to say. */
      most_attempts?: number | undefined;
    };

/** How often the input is halved when the provider still says that it is too long. */
const REFITS = 4;
/** Share of a model's window that the conversation may take; estimates are not exact. */
const INPUT_SHARE = 0.8;
/** A model whose window is not known is given what nearly every model takes. */
const UNKNOWN_WINDOW = 32_000;
/** Tokens of the answer that may go into its analysis, beside a summary of the planned length. */
const ANALYSIS_TOKENS = 1_000;
/** An answer of the wrong length is asked for once more, and no oftener: the next is as long. */
const ATTEMPTS_AT_LENGTH = 2;

/** Asks a model for the summary of a plan (SPEC section 8, phases 3 and 4). Never throws for it. */
export async function summarizeWithModel(
  model: ModelSummarizer,
  job: SummaryJob,
): Promise<SummaryResult> {
  const { plan, config, count } = job;
  const started = job.now();
  const window = model.context_window ?? UNKNOWN_WINDOW;
  const max_output_tokens = Math.min(
    config.summary_max_tokens,
    plan.summary_budget + ANALYSIS_TOKENS,
    Math.floor(window / 4),
  );
  let budget = Math.floor(
    ((window - max_output_tokens) * INPUT_SHARE) / config.token_safety_multiplier,
  );
  let usage = NO_TOKENS;
  for (let refit = 0; ; refit++) {
    const input = summaryInput(plan.conversation, budget, count, config);
    if (input === null) {
      const message = `no part of the conversation fits the window of ${model.name}`;
      return { ok: false, reason: 'prompt_too_long', message, retryable: false, usage };
    }
    const { system, prompt, task, template } = buildSummaryPrompt({
      templates: job.templates,
      template: config.summary_template,
      transcript: input.transcript,
      instructions: job.instructions,
      focus: job.focus,
      max_tokens: plan.summary_budget,
    });
    const answer = await model.summarize({
      system,
      prompt,
      max_output_tokens,
      timeout_ms: config.summarizer_timeout_seconds * 1000,
      signal: job.signal,
    });
    usage = sumOfUsage(usage, answer.usage ?? NO_TOKENS);
    if (!answer.ok) {
      if (answer.reason !== 'prompt_too_long' || refit === REFITS) return { ...answer, usage };
      budget = Math.floor(Math.min(budget, count(prompt)) / 2);
      continue;
    }
    const verdict = checkSummary(answer.text, {
      template: config.summary_template,
      has_instructions: (job.instructions ?? '').trim() !== '',
      asked: `${system}\n${task}`,
      covered_tokens: plan.covered_tokens,
      is_cut_off: answer.is_cut_off,
      count,
    });
    if (!verdict.ok) return { ...refused(verdict.flaw, model.name), usage };
    return {
      ok: true,
      summary: {
        text: verdict.text,
        summarizer: 'model',
        model: answer.model,
        template,
        usage,
        left_out: input.left_out,
        truncated_turns: input.truncated_turns,
        summarizer_ms: job.now() - started,
      },
    };
  }
}

/** An answer that is no summary: asked for again, and then given up (SPEC section 10). */
function refused(flaw: SummaryFlaw, model: string) {
  const isOfLength = flaw.kind === 'cut_off' || flaw.kind === 'too_long';
  return {
    ok: false,
    reason: flaw.kind === 'provider_error' ? 'api_error' : 'no_summary',
    message: `the answer of ${model} is not a summary: ${flawText(flaw)}`,
    retryable: true,
    most_attempts: isOfLength ? ATTEMPTS_AT_LENGTH : undefined,
  } as const;
}

/** Writes the summary from the log itself: deterministic, offline, no cost (SPEC section 10). */
export function summarizeFromLog(job: SummaryJob): Summary {
  const { plan, config, count } = job;
  const started = job.now();
  const text = summarizeExtractively(plan.conversation, {
    max_tokens: plan.summary_budget,
    count,
    template: config.summary_template,
    ...(job.instructions === undefined ? {} : { instructions: job.instructions }),
    ...(job.focus === undefined ? {} : { focus: job.focus }),
  });
  return {
    text,
    summarizer: 'extractive',
    model: null,
    template: job.templates.summary[config.summary_template].version,
    usage: NO_TOKENS,
    left_out: { cleared_results: 0, truncated_results: 0, dropped_items: 0 },
    truncated_turns: 0,
    summarizer_ms: job.now() - started,
  };
}
