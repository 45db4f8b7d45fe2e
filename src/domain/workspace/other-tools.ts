import type { ToolCall } from '../items/item.ts';
import type { FileAction } from './action.ts';
import { namedActions } from './named-files.ts';
import { isReadOnlyByName } from './read-only.ts';
import type { Answer } from './result-text.ts';
import { isDryRun } from './saved-text.ts';
import { GIT_READS } from './shell/programs.ts';
import { subagentOf } from './subagents.ts';
import { inputOf, isRemote, ownName, wordsOf } from './tool-input.ts';

/** What `git` does to files of the work tree by these words, whatever it is given. */
const GIT_CHANGES =
  /^(?:checkout|reset|pull|merge|rebase|stash|switch|restore|revert|cherry|apply|am|clean)$/;

/**
 * What a tool may have changed that is none of those whose work is followed. The rule: a call that has
 * worked, and whose name does not say that it only reads, may have changed every known file that its
 * input names; another agent, any file, unless it can only read or was told to.
 */
export function otherToolActions(call: ToolCall, answer: Answer): FileAction[] {
  const agent = subagentOf(call);
  if (agent !== null) {
    return agent.mayWrite && !answer.isRefused ? [{ kind: 'all_changed', by: agent.by }] : [];
  }
  const input = inputOf(call);
  if (answer.isFailed || isRemote(input) || isDryRun(input)) return [];
  const by = call.name.slice(0, 60);
  const words = wordsOf(ownName(call.name));
  const git = words[words.indexOf('git') + 1] ?? '';
  if (words.includes('git') && (git === 'add' || git === 'commit')) {
    const does = git === 'add' ? 'stage' : git;
    return [{ kind: 'may_change', targets: [], by, git: { does, isCertain: true } }];
  }
  if (words.includes('git') && GIT_READS.has(git)) return [];
  if (words.includes('git') && GIT_CHANGES.test(git)) return [{ kind: 'all_changed', by }];
  // Renaming in the sense of the language changes all files that use the name.
  if (words.includes('rename') && words.includes('symbol')) return [{ kind: 'all_changed', by }];
  return isReadOnlyByName(call.name) ? [] : namedActions(call);
}
