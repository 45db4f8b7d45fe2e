import { summarizeExtractively } from '../../domain/compaction/extractive/summarize.ts';
import { reportOn } from '../../domain/compaction/retention/verify.ts';
import { NOTHING_LEFT_OUT } from '../../domain/session/events.ts';
import { NO_TOKENS } from '../../domain/session/summarizer-usage.ts';
import type { Summarizer, WrittenText } from './summarizer.ts';

/** Writes the summary from the log itself: deterministic, offline, no cost (SPEC section 10). */
export const extractive: Summarizer<WrittenText> = {
  kind: 'offline',
  name: 'extractive',
  summarize: async ({ plan, view, config, count, templates, instructions, focus }) => {
    const text = summarizeExtractively(plan.ledgers, {
      max_tokens: plan.summary_budget,
      count,
      template: config.summary_template,
      ...(instructions !== undefined && { instructions }),
      ...(focus !== undefined && { focus }),
    });
    const retention = reportOn(text, { plan, view, config, count });
    const summary = {
      text,
      summarizer: 'extractive',
      model: null,
      template: templates.summary[config.summary_template].version,
      usage: NO_TOKENS,
      left_out: NOTHING_LEFT_OUT,
      truncated_turns: 0,
      ...(retention !== null && { retention }),
    };
    return { ok: true, kind: 'text', summary };
  },
};
