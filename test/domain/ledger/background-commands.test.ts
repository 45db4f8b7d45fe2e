import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';
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

  const watched = (command: string) =>
    used(
      'Monitor',
      { command, description: 'Watch it', timeout_ms: 20_000, persistent: false },
      'Monitor started (task b1, expires in 20s unless the source ends first; you get one notice at expiry — re-arm if you still need the watch). You will be notified on each event. Keep working — do not poll or sleep. Events may arrive while you are waiting for the user — an event is not their reply.',
    );
  const event = (text: string) => `</summary>\n<event>${text}</event>\n<summary>`;

  test.each<[string, string, string[]]>([
    ['Monitor "Watch it" stream ended', 'ok', []],
    ['Monitor "Watch it" ended without producing output (exit 0)', 'ok', []],
    [
      `Monitor "Watch it" script failed (exit 1)${event('Error: 1 is not 2')}`,
      'failed',
      ['Error: 1 is not 2', 'script failed (exit 1)'],
    ],
    ['Monitor "Watch it" script failed (exit 3)', 'failed', ['script failed (exit 3)']],
  ])('is watched: %s', (summary, outcome, lines) => {
    const before = ledgerOf(watched('npm test'));
    expect([before.runs, before.open_calls]).toMatchObject([[], [{ id: 'process b1' }]]);
    const said = normalised('anthropic', [notified('b1', summary, 'system')]);
    const { runs, failures, open_calls } = ledgerOf([...watched('npm test'), ...said]);
    expect(runs).toMatchObject([{ command: 'npm test', outcome }]);
    expect(failures.flatMap((one) => one.lines)).toEqual(lines);
    expect(open_calls).toEqual([]);
  });

  test('is watched no longer once its time is up', () => {
    const text =
      '[Monitor expired after 20s with no events delivered. Re-arm it if you still need the watch — and widen the filter if silence was unexpected.]';
    const told = `<task-notification>\n<task-id>b1</task-id>\n<summary>Monitor event: "Watch it"</summary>\n<event>${text}</event>\n</task-notification>`;
    const said = normalised('anthropic', [{ role: 'system', content: WARNING + told }]);
    const { runs, open_calls } = ledgerOf([...watched('npm test'), ...said]);
    expect([runs, open_calls]).toEqual([[], []]);
  });

  test.each([
    [
      'TaskStop',
      { task_id: 'b1' },
      '{"message":"Successfully stopped task: b1 (npm run serve)","task_id":"b1","task_type":"local_bash","command":"npm run serve"}',
    ],
    [
      'KillShell',
      { shell_id: 'b1' },
      '{"message":"Successfully killed shell: b1 (npm run serve)"}',
    ],
  ])('is not open once it was stopped by %s', (name, input, answer) => {
    const { open_calls } = ledgerOf([...started('npm run serve'), ...used(name, input, answer)]);
    expect(open_calls).toEqual([]);
    const failing = used(
      name,
      input,
      '<tool_use_error>No task found with ID: b1</tool_use_error>',
      true,
    );
    expect(ledgerOf([...started('npm run serve'), ...failing]).open_calls).toHaveLength(1);
  });

  const asked = (status: string, more = '') =>
    `<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>${status}</status>${more}`;

  test.each<[string, string, Json, string, string, string[]]>([
    [
      'TaskOutput, which tells that it has worked',
      'TaskOutput',
      { task_id: 'b1', block: true, timeout: 30_000 },
      asked(
        'completed',
        '\n\n<exit_code>0</exit_code>\n\n<output>\nTests  3 passed (3)\n</output>',
      ),
      'ok',
      [],
    ],
    [
      'TaskOutput, which tells that it has failed',
      'TaskOutput',
      { task_id: 'b1', block: true, timeout: 30_000 },
      asked('failed', '\n\n<exit_code>1</exit_code>\n\n<output>\nError: 1 is not 2\n</output>'),
      'failed',
      ['Error: 1 is not 2'],
    ],
    [
      'BashOutput of its first versions',
      'BashOutput',
      { bash_id: 'b1' },
      '<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\nTests  3 passed (3)\n</stdout>\n\n<timestamp>2025-10-06T22:59:54.998Z</timestamp>',
      'ok',
      [],
    ],
  ])('has ended where it is asked: %s', (_, name, input, answer, outcome, lines) => {
    const { runs, failures, open_calls } = ledgerOf([
      ...started('npm test'),
      ...used(name, input, answer),
    ]);
    expect(runs).toMatchObject([{ command: 'npm test', outcome }]);
    expect(failures.flatMap((one) => one.lines)).toEqual(lines);
    expect(open_calls).toEqual([]);
  });

  test('has ended also where it was killed, or could not be stopped any more', () => {
    const openAfter = (name: string, input: Json, answer: string, hasFailed = false) =>
      ledgerOf([...started('npm run serve'), ...used(name, input, answer, hasFailed)]).open_calls;
    expect(openAfter('TaskOutput', { task_id: 'b1' }, asked('killed'))).toEqual([]);
    expect(openAfter('TaskOutput', { task_id: 'b1' }, asked('running'))).toHaveLength(1);
    const gone = 'Shell b1 is not running, so cannot be killed (status: completed)';
    expect(openAfter('KillShell', { shell_id: 'b1' }, gone, true)).toEqual([]);
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
