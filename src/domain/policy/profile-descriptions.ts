import type { Profile } from './profiles.ts';

/** When to choose which, in a sentence; `docs/profiles.md` compares them in full. */
export const PROFILE_DESCRIPTIONS: Record<Profile, string> = {
  default:
    'For any agent and any window: clears old tool results first, then summarises in nine sections, ' +
    'with budgets that follow the window.',
  'claude-code':
    'For coding agents with large windows: 13,000 tokens stay free, old results are cleared down to ' +
    '40,000 tokens, a summary brings back files, todos and plan, and /compact works.',
  'codex-v2':
    'For coding agents whose users give long instructions: the user’s own messages stay beside the ' +
    'summary, and clearing takes all but the last three results.',
  rawr:
    'For agents that report their turns: compacts early, at natural boundaries such as a commit or a ' +
    'finished step, and hands over with a continuation packet.',
  tiered:
    'For a predictable pipeline: at 80 % of the window cut long results, then clear, then summarise in ' +
    'seven sections, with the last twelve messages word for word.',
  'codex-classic':
    'For chats that compact on command or at a limit of your own: a short handoff summary of ' +
    'role-labelled turns; off until auto_compact_token_limit is set.',
};
