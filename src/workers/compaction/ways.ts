import { OFFLINE } from '../summarizers/registry.ts';
import type { Summarizer } from '../summarizers/summarizer.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';
import { type FailureText, INTERRUPTED } from './record-failure.ts';

/** One way to make the context smaller: a summariser, one that is known to fail, or clearing results. */
export type Way =
  | { kind: 'ask'; summarizer: Summarizer }
  | { kind: 'failed'; failure: FailureText }
  | { kind: 'clear' };

/** The ways of a full compaction, the best first: each is for when those before it have failed for good. */
export function waysOf(
  { chooseSummarizer, remote }: Pick<WorkerDependencies, 'chooseSummarizer' | 'remote'>,
  { head, running, terms }: Loaded,
  isRemote: boolean,
): Way[] {
  const { config } = terms;
  // Attempts that were cut off count as well: whom they asked may be what cuts them off.
  const isSpent = running.attempt > config.summarizer_max_attempts;
  const local = localWays(chooseSummarizer(head.settings, config), isSpent);
  const fallbacks = config.summarizer_fallback.map(
    (name): Way => (name === 'micro' ? { kind: 'clear' } : ask(OFFLINE[name])),
  );
  return [
    ...(isRemote && !isSpent ? [ask(remote)] : []),
    local,
    ...(local.kind === 'ask' && local.summarizer.kind === 'offline' ? [] : fallbacks),
  ];
}

function localWays(choice: ReturnType<WorkerDependencies['chooseSummarizer']>, isSpent: boolean) {
  switch (choice.kind) {
    case 'offline':
      return ask(choice);
    case 'asking':
      return isSpent ? failed(INTERRUPTED) : ask(choice);
    case 'unusable':
      return failed({ reason: 'api_error', message: choice.message });
    default:
      return choice satisfies never;
  }
}

function ask(summarizer: Summarizer): Way {
  return { kind: 'ask', summarizer };
}

function failed(failure: FailureText): Way {
  return { kind: 'failed', failure };
}
