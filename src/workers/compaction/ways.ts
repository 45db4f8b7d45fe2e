import { OFFLINE, type SummarizerChoice } from '../summarizers/registry.ts';
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
  { head, running, terms, request }: Loaded,
  isRemote: boolean,
): Way[] {
  const { config } = terms;
  if (request.offline === true)
    return [{ kind: 'ask', summarizer: OFFLINE.extractive }, { kind: 'clear' }];
  // Attempts that were cut off count as well: whom they asked may be what cuts them off.
  const isSpent = running.attempt > config.summarizer_max_attempts;
  const local = localWay(chooseSummarizer(head.settings, config), isSpent);
  const fallbacks = config.summarizer_fallback.map(
    (name): Way =>
      name === 'micro' ? { kind: 'clear' } : { kind: 'ask', summarizer: OFFLINE[name] },
  );
  const isSure = local.kind === 'ask' && local.summarizer.kind === 'offline';
  const ways = isSure ? [local] : [local, ...fallbacks];
  return isRemote && !isSpent ? [{ kind: 'ask', summarizer: remote }, ...ways] : ways;
}

function localWay(choice: SummarizerChoice, isSpent: boolean): Way {
  switch (choice.kind) {
    case 'asking':
      if (isSpent) return { kind: 'failed', failure: INTERRUPTED };
      return { kind: 'ask', summarizer: choice };
    case 'offline':
      return { kind: 'ask', summarizer: choice };
    case 'unusable':
      return { kind: 'failed', failure: { reason: 'api_error', message: choice.message } };
    default:
      return choice satisfies never;
  }
}
