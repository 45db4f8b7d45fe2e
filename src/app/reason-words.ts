import type { FailureReason } from '../domain/session/events.ts';
import type { SkipReason } from '../domain/session/skip-reason.ts';
import type { DiscardReason } from './ports/event-store.ts';

/** Why a compaction was requested, in words. */
const REQUESTED = new Map([
  ['token_limit', 'the context reached its threshold'],
  ['requested', 'a request asked for it'],
  ['request', 'a request'],
  ['proposal', 'a proposal was asked for'],
  ['command', 'the user typed the command'],
  ['append', 'an append'],
  ['tool', 'a call of the compact tool'],
  ['turn_complete', 'the end of a turn'],
  ['mid_turn', 'between two calls of the model'],
  ['preflight', 'the next message of the user'],
  ['no_natural_boundary', 'no good moment to compact'],
]);

type EndReason = SkipReason | FailureReason | DiscardReason;
type EndWords = { why: string; advice: string | null };

/** Why one came to nothing, and what can be done. */
const ENDED: Record<EndReason, EndWords> = {
  api_error: {
    why: 'the provider of the model refused the call',
    advice: 'Look at what it said under Phases: mostly the key, the name of the model, or a limit.',
  },
  timeout: {
    why: 'the model did not answer in time',
    advice: 'Raise summarizer_timeout_seconds, or choose a quicker model.',
  },
  no_summary: {
    why: 'nothing that the model wrote could be used',
    advice: 'Try again, or another model.',
  },
  prompt_too_long: {
    why: 'the model’s window is too small for what is to be summarised',
    advice: 'Choose a model with a larger window.',
  },
  interrupted: {
    why: 'the attempts were cut off again and again',
    advice: 'The log of the worker says what went wrong.',
  },
  hook_blocked: {
    why: 'a hook of the operator refused it',
    advice: 'Phases says which hook it was.',
  },
  nothing_to_compact: { why: 'there was nothing that could be taken away', advice: null },
  below_threshold: { why: 'the context was below its threshold', advice: null },
  not_effective: { why: 'it would have saved too little', advice: null },
  would_not_shrink: { why: 'the summary would have been as long as what it tells', advice: null },
  irreducible_floor: {
    why: 'what must stay fills the window by itself',
    advice: 'What it consists of is listed here: pin less, or give the session a larger window.',
  },
  compaction_disabled: { why: 'compaction was switched off meanwhile', advice: null },
  no_natural_boundary: { why: 'it was no good moment', advice: null },
  too_few_tokens: { why: 'the context was too small to be worth it', advice: null },
  not_worth_it: { why: 'it would have cost more than it saves', advice: null },
  requested: { why: 'somebody discarded the proposal', advice: null },
  superseded: { why: 'another compaction came before it was applied', advice: null },
};
const ENDS = new Map<string, EndWords>(Object.entries(ENDED));

/** What is not of the service stands as it is, whatever its length. */
export function requestWords(reason: string): string {
  return REQUESTED.get(reason) ?? reason;
}

export function endWords(reason: string): EndWords {
  return ENDS.get(reason) ?? { why: reason, advice: null };
}
