import { buildSummaryPrompt } from '../../domain/compaction/prompt.ts';
import { factLines } from '../../domain/compaction/retention/fact-lines.ts';
import { verifySummary } from '../../domain/compaction/retention/verify.ts';
import { checkSummary, flawText, type SummaryFlaw } from '../../domain/compaction/summary-check.ts';
import { summaryInput } from '../../domain/compaction/summary-input.ts';
import type { Usage } from '../../domain/items/item.ts';
import { NO_TOKENS, sumOfUsage } from '../../domain/session/summarizer-usage.ts';
import type { Summarizer, SummaryFailure, Task, WrittenText } from './summarizer.ts';
import type { TextModel } from './text-model.ts';

/** How often the input is halved when the provider still says that it is too long. */
const REFITS = 4;
/** Share of a model's window that the conversation may take; estimates are not exact. */
const INPUT_SHARE = 0.8;
/** A model whose window is not known is given what nearly every model takes. */
const UNKNOWN_WINDOW = 32_000;
/** Tokens of the answer that may go into its analysis, beside a summary of the planned length. */
const ANALYSIS_TOKENS = 1_000;
/** Tokens of the facts that the model is told to keep. */
const FACT_TOKENS = 600;
/** An answer of the wrong length is asked for once more, and no oftener: the next is as long. */
const ATTEMPTS_AT_LENGTH = 2;

/** Has a model write the summary of a plan (SPEC section 8, phases 3 and 4); asks it once. */
export function modelSummarizer(model: TextModel): Summarizer<WrittenText> {
  return {
    kind: 'asking',
    name: model.name,
    summarize: (task, signal) => summarize(model, task, signal),
  };
}

async function summarize(
  model: TextModel,
  { plan, view, config, count, templates, instructions, focus }: Task,
  signal: AbortSignal,
): Promise<WrittenText | SummaryFailure> {
  const window = model.context_window ?? UNKNOWN_WINDOW;
  const max_output_tokens = Math.min(
    config.summary_max_tokens,
    plan.summary_budget + ANALYSIS_TOKENS,
    Math.floor(window / 4),
  );
  let budget = Math.floor(
    ((window - max_output_tokens) * INPUT_SHARE) / config.token_safety_multiplier,
  );
  const keeps = config.retention_check === 'repair';
  const facts = keeps
    ? factLines(plan.ledgers, Math.min(FACT_TOKENS, Math.floor(budget / 10)), count)
    : [];
  let usage = NO_TOKENS;
  for (let refit = 0; ; refit++) {
    const input = summaryInput(plan.conversation, budget, count, config);
    if (input === null) {
      const message = `no part of the conversation fits the window of ${model.name}`;
      return { ok: false, reason: 'prompt_too_long', message, retryable: false, usage };
    }
    const { system, prompt, task, template } = buildSummaryPrompt({
      templates,
      template: config.summary_template,
      transcript: input.transcript,
      instructions,
      focus,
      facts,
      has_earlier_summary:
        keeps &&
        plan.conversation.some((item) => item.kind === 'message' && item.is_compact_summary),
      max_tokens: plan.summary_budget,
    });
    const answer = await model.ask({
      system,
      prompt,
      max_output_tokens,
      timeout_ms: config.summarizer_timeout_seconds * 1000,
      signal,
    });
    usage = sumOfUsage(usage, answer.usage ?? NO_TOKENS);
    if (!answer.ok) {
      if (answer.reason !== 'prompt_too_long' || refit === REFITS) return { ...answer, usage };
      budget = Math.floor(Math.min(budget, count(prompt)) / 2);
      continue;
    }
    const verdict = checkSummary(answer.text, {
      template: config.summary_template,
      has_instructions: (instructions ?? '').trim() !== '',
      asked: `${system}\n${task}`,
      covered_tokens: plan.covered_tokens,
      is_cut_off: answer.is_cut_off,
      count,
    });
    if (!verdict.ok) return refused(verdict.flaw, model.name, usage);
    const verified = verifySummary(verdict.text, { plan, view, config, count });
    if (!verified.ok) {
      const least = config.retention_reject;
      return refused({ kind: 'forgets', share: verified.share, least }, model.name, usage);
    }
    const { left_out, truncated_turns } = input;
    const { text, retention } = verified;
    const by = { summarizer: 'model', model: answer.model, template, usage };
    const checked = retention === null ? {} : { retention };
    return {
      ok: true,
      kind: 'text',
      summary: { text, ...by, left_out, truncated_turns, ...checked },
    };
  }
}

/** An answer that is no summary: asked for again, and then given up (SPEC section 10). */
function refused(flaw: SummaryFlaw, model: string, usage: Usage): SummaryFailure {
  const isOfLength = flaw.kind === 'cut_off' || flaw.kind === 'too_long';
  return {
    ok: false,
    reason: flaw.kind === 'provider_error' ? 'api_error' : 'no_summary',
    message: `the answer of ${model} is not a summary: ${flawText(flaw)}`,
    retryable: true,
    ...(isOfLength && { most_attempts: ATTEMPTS_AT_LENGTH }),
    usage,
  };
}
