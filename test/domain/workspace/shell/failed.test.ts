import { describe, expect, it } from 'vitest';
import { actionsOfCall } from '../../../../src/domain/workspace/call-actions.ts';
import { Effort } from '../../../../src/domain/workspace/effort.ts';
import { toolCall, toolResult } from '../../../support/tool-calls.ts';

/** What a command has done whose result is marked as an error, or not, in the folder `/w`. */
const kindsOf = (command: string, answer: string, hasFailed = true) => {
  const folders = { session: '/w', shell: '/w' };
  const call = toolCall('Bash', { command });
  const { actions } = actionsOfCall(call, toolResult(answer, hasFailed), folders, new Effort());
  return actions.map((action) =>
    'to' in action
      ? `${action.kind} ${action.path} ${action.to}`
      : 'path' in action
        ? `${action.kind} ${action.path}`
        : action.kind,
  );
};

describe('what stands in front of the command that failed', () => {
  it.each([
    ['rm -f a.html; ls a.html', 'Exit code 2\nls: a.html: No such file', ['deleted /w/a.html']],
    ['rm a.ts && npx tsc', 'Exit code 2\nb.ts(1,1): error TS2307', ['deleted /w/a.ts']],
    [
      'cd /w/src && mv a.ts b.ts && npm test',
      'Exit code 1\n1 failed',
      ['moved /w/src/a.ts /w/src/b.ts'],
    ],
    ['mkdir -p out && cp a.ts out/b.ts; false', 'Exit code 1', ['copied /w/a.ts /w/out/b.ts']],
    ['echo go\nrm a.ts\ngrep x b.ts', 'Exit code 1\ngo', ['deleted /w/a.ts']],
  ])('has been done: %s', (command, answer, actions) =>
    expect(kindsOf(command, answer)).toEqual(actions),
  );

  it.each([
    ['it said that it could not', 'rm a.ts; npx tsc', 'Exit code 1\nrm: a.ts: Permission denied'],
    [
      'the folder was not there',
      'cd lib && rm a.ts; npx tsc',
      'Exit code 1\ncd: lib: No such file',
    ],
    ['nor in zsh', 'cd lib && rm a.ts; npx tsc', 'Exit code 1\n(eval):cd:1: no such file: lib'],
    [
      'no file fits the pattern',
      'rm a.t*; npx tsc',
      'Exit code 1\n(eval):1: no matches found: a.t*',
    ],
    ['it is what failed', 'cd /w && rm a.ts', 'Exit code 1'],
    ['it throws its errors away', 'mv a.ts b.ts 2>/dev/null; npx tsc', 'Exit code 2\nTS2307'],
    ['nobody knows whether anything ran', 'rm a.ts; npx tsc', 'The guard of this phase says no.'],
    ['it comes after what may have failed', 'npx tsc && rm a.ts', 'Exit code 2\nTS2307'],
    ['it was only to be done otherwise', 'npx tsc || rm a.ts; false', 'Exit code 2\nTS2307'],
    [
      'what it stands behind said so',
      'touch lib/x && rm a.ts && npx tsc',
      "Exit code 1\ntouch: cannot touch 'lib/x': No such file or directory",
    ],
    [
      'nobody hears that the folder was not there',
      'cd lib 2>/dev/null && rm a.ts && npx tsc',
      'Exit code 1',
    ],
    [
      'it said so behind a long output',
      'cd lib && rm a.ts; npx tsc',
      `Exit code 1\n${'b.ts(1,1): error TS2307\n'.repeat(2_000)}bash: cd: lib: No such file`,
    ],
    ['it may not have been reached', 'sleep 600; rm a.ts; npx tsc', 'Exit code 143'],
  ])('has perhaps been done where %s', (_, command, answer) =>
    expect(kindsOf(command, answer)).not.toContainEqual(
      expect.stringMatching(/^(?:deleted|moved)/),
    ),
  );
});

it.each([
  ['git mv a.ts b.ts', 'fatal: not a git repository (or any of the parent directories): .git'],
  ['git rm lib', "fatal: not removing 'lib' recursively without -r"],
])('what git has refused stops what stands behind it: %s', (command, complaint) =>
  expect(kindsOf(`cat x; ${command} && rm c.ts; ls`, `x\n${complaint}\nc.ts`, false)).not.toContain(
    'deleted /w/c.ts',
  ),
);
