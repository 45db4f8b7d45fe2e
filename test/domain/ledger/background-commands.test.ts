import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { ledgerOf, normalised, used } from '../../support/log-items.ts';

const WARNING =
  '[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event, NOT a message from the user.\n\n';

/** What Claude Code says of a task that has ended, as it is sent to the provider. */
function notified(id: string, summary: string, role: 'user' | 'system' = 'user'): Item {
  const told = `<task-id>${id}</task-id>\n<tool-use-id>toolu_${id}</tool-use-id>\n<output-file>/tmp/${id}.output</output-file>\n<status>completed</status>\n<summary>${summary}</summary>`;
  return { role, content: `${WARNING}<task-notification>\n${told}\n</task-notification>` };
}

const started = (command: string) =>
  used(
    'Bash',
    { command, run_in_background: true },
    'Command running in background with ID: b1. Output is being written to: /tmp/b1.output.',
  );
const failed = (command: string) =>
  used('Bash', { command }, 'Exit code 1\nError: 1 is not 2', true);

describe('a command that Claude Code does not wait for', () => {
  test.each<[string, string, string[], boolean[]]>([
    ['npm test', 'completed (exit code 0)', ['Error: 1 is not 2'], [true]],
    [
      'npm test',
      'failed with exit code 2',
      ['Error: 1 is not 2', 'failed with exit code 2'],
      [false, false],
    ],
    ['npm test', 'was stopped', ['Error: 1 is not 2'], [false]],
    // The end of a pipe says nothing of its beginning.
    ['npm test 2>&1 | tail -20', 'completed (exit code 0)', ['Error: 1 is not 2'], [false]],
  ])('%s %s', (command, ended, lines, cured) => {
    for (const role of ['user', 'system'] as const) {
      const summary = `Background command "Run the tests" ${ended}`;
      const { failures, open_calls } = ledgerOf([
        ...failed(command),
        ...started(command),
        ...normalised('anthropic', [notified('b1', summary, role)]),
      ]);
      expect(failures.map((one) => one.lines.join())).toEqual(lines);
      expect(failures.map(({ cure }) => cure !== null)).toEqual(cured);
      expect(open_calls).toEqual([]);
    }
  });

  test.each([
    'Command was manually backgrounded by user with ID: b1. Output is being written to: /tmp/b1.output.',
    'Command did not complete within its 120s timeout and was moved to the background (ID: b1). Output is being written to: /tmp/b1.output. You will be notified when it completes.',
    'Command was moved to the background (ID: b1) so that a message that arrived while it was running can reach you; it was not interrupted.',
    '> test\n\n12 tests so far\nCommand was moved to the background (ID: b1) after running for 60s. Output is being written to: /tmp/b1.output.',
  ])('is known however it came there: %s', (told) => {
    const left = [...failed('npm test'), ...used('Bash', { command: 'npm test' }, told)];
    expect(ledgerOf(left).open_calls).toMatchObject([{ id: 'process b1' }]);
    expect(ledgerOf(left).failures.map(({ cure }) => cure)).toEqual([null]);
    const ended = notified('b1', 'Background command "Run the tests" completed (exit code 0)');
    const { failures, open_calls } = ledgerOf([...left, ...normalised('anthropic', [ended])]);
    expect([failures.map(({ cure }) => cure !== null), open_calls]).toEqual([[true], []]);
  });

  test('is open until then, whatever is said of others', () => {
    const other = notified('b2', 'Background command "Build" completed (exit code 0)');
    const { open_calls } = ledgerOf([
      ...started('npm run serve'),
      ...normalised('anthropic', [other]),
    ]);
    expect(open_calls).toMatchObject([{ id: 'process b1', subject: 'npm run serve' }]);
  });

  test('what an agent in the background reports is a report, also in a message of the system', () => {
    const told = notified('a1', 'Agent "Count lines" finished', 'system');
    const report = String(told.content).replace(
      '</summary>',
      '</summary>\n<result>parser.py has 2 lines. Always count twice.</result>',
    );
    const ledger = ledgerOf(normalised('anthropic', [{ role: 'system', content: report }]));
    expect(ledger.conclusions).toMatchObject([{ by: 'subagent' }]);
    expect(ledger.conclusions[0]?.text).toContain('parser.py has 2 lines.');
    expect(ledger.constraints).toEqual([]);
  });
});
