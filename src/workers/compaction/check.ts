import { isSmallerWith, type Summary } from '../../domain/compaction/finish-full.ts';
import type { FullPlan } from '../../domain/compaction/full.ts';
import { checkReplacement, type Replacement } from '../../domain/compaction/remote.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import type { Written } from '../summarizers/summarizer.ts';
import type { Loaded } from './load.ts';
import type { FailureText } from './record-failure.ts';
import type { Timed } from './summarise.ts';
import type { Way } from './ways.ts';

/** What can stand for the covered part, or why it cannot (null: aborted) and which ways are left. */
export type Checked =
  | { ok: true; kind: 'summary'; summary: Summary }
  | { ok: true; kind: 'replacement'; replacement: Replacement }
  | { ok: false; failure: FailureText | null; others: readonly Way[] };

/**
 * Whether what was written makes the context smaller, and whether items of a provider can stand in it.
 * A summary that is longer than what it stands for gives way to another summariser; without one it is
 * taken as it is, for the commit to decide on.
 */
export function check(
  { terms, view, running }: Loaded,
  plan: FullPlan,
  written: Timed<Written>,
  others: readonly Way[],
): Checked {
  const { config, tokenizers } = terms;
  const count = counterFor(config, tokenizers);
  switch (written.kind) {
    case 'text': {
      const summary = { ...written.summary, summarizer_ms: written.took_ms };
      const writers = others.filter(({ kind }) => kind === 'ask');
      const context = { view, config, count, is_automatic: running.trigger === 'auto' };
      if (writers.length === 0 || isSmallerWith(plan, summary.text, context)) {
        return { ok: true, kind: 'summary', summary };
      }
      const message = `the summary of ${summary.model} would not make the context smaller`;
      const { usage, model } = summary;
      const failure = { reason: 'no_summary', message, usage, model } as const;
      return { ok: false, failure, others: writers };
    }
    case 'items': {
      const { items: output, model, usage, took_ms: remote_ms } = written;
      const { items, problem } = checkReplacement(plan, output, { view, config, count });
      if (items !== null) {
        return { ok: true, kind: 'replacement', replacement: { items, model, usage, remote_ms } };
      }
      const message = `openai: the compaction cannot be used: ${problem}`;
      return { ok: false, failure: { reason: 'api_error', message, usage, model }, others };
    }
    default:
      return written satisfies never;
  }
}
