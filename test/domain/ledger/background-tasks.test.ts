import { describe, expect, test } from 'vitest';
import { processEnded } from '../../../src/domain/ledger/processes.ts';
import { asks, ledgerOf, used } from '../../support/log-items.ts';

const AGENT = 'e951b17f-edd0-4326-a7e1-049fac618e6b';

/** What Antigravity tells the model beside what the user has typed. */
const told = (content: string, sender = `${AGENT}/task-7`) =>
  asks(
    `The following is a <SYSTEM_MESSAGE> not actually sent by the user. It is provided by the system as important information to pay attention to.\n\n<SYSTEM_MESSAGE>\n[Message] timestamp=2026-06-18T22:43:33Z sender=${sender} priority=MESSAGE_PRIORITY_HIGH content=${content}\n</SYSTEM_MESSAGE>`,
  );
const left = (command: string) =>
  used(
    'run_command',
    { CommandLine: command, Cwd: '/w' },
    `Tool is running as a background task with task id: ${AGENT}/task-7\nTask Description: ${command}\nTask logs are available at: file:///t/task-7.log`,
  );
const ended = (how: string, answer: string) =>
  told(`Task id "${AGENT}/task-7" ${how} with result:\n${answer}\n\nLog: file:///t/task-7.log`);

describe('a command that Antigravity leaves running', () => {
  test('has not ended while nothing tells so', () => {
    const { runs, open_calls } = ledgerOf([...left('npm run build')].flat());
    expect(runs).toEqual([]);
    expect(open_calls).toMatchObject([{ script: 'npm run build', kind: 'build' }]);
  });

  test.each([
    ['completed successfully.', 'ok', 'built 3 pages', []],
    [
      'failed with exit code: 1',
      'failed',
      'error TS2339: No such property',
      ['error TS2339: No such property'],
    ],
  ])('has ended as a message says: %s', (how, outcome, said, lines) => {
    const ledger = ledgerOf(
      [
        ...left('npm run build'),
        ended('finished', `\n\t\t\t\tThe command ${how}\n\t\t\t\tOutput:\n\t\t\t\t${said}`),
      ].flat(),
    );
    expect(ledger.runs).toMatchObject([{ command: 'npm run build', outcome }]);
    expect(ledger.failures.flatMap((one) => one.lines)).toEqual(lines);
    expect(ledger.open_calls).toEqual([]);
    expect(ledger.requests).toEqual([]);
  });

  test.each([
    ['was stopped', ended('was canceled', 'Step was canceled: context canceled')],
    [
      'all were stopped',
      told(
        '[Notice] All your subagents and background tasks have been stopped due to server restart.',
        'system',
      ),
    ],
  ])('is not told of where it %s', (_, message) => {
    const { runs, open_calls, requests } = ledgerOf([...left('npm run build'), message].flat());
    expect([runs, open_calls, requests]).toEqual([[], [], []]);
  });

  test('is not ended by what a user writes of it', () => {
    const { open_calls } = ledgerOf(
      [
        ...left('npm run build'),
        asks(`Task id "${AGENT}/task-7" finished with result:\nfine`),
      ].flat(),
    );
    expect(open_calls).toHaveLength(1);
  });
});

test('what a subagent of Antigravity reports is told as its own, without what stands in front', () => {
  const { conclusions, requests } = ledgerOf([told('The parser drops the last line.', AGENT)]);
  expect(conclusions).toMatchObject([
    { by: 'subagent', text: expect.stringMatching(/^The parser drops the last line\./) },
  ]);
  expect(requests).toEqual([]);
});

test('what a task has printed ends where its frame begins, however many blanks it ends with', () => {
  const message = (answer: string) =>
    `The following is a <SYSTEM_MESSAGE> x content=Task id "7" finished with result:\n${answer}`;
  expect(processEnded(message('\tdone\n\nLog: file:///t/7.log\n</SYSTEM_MESSAGE>\n'))?.answer).toBe(
    '\tdone',
  );
  expect(processEnded(message('done\nLog: none</SYSTEM_MESSAGE>'))?.answer).toBe('done\nLog: none');
  const blanks = `a${'\n'.repeat(200_000)}b`;
  expect(processEnded(message(blanks))?.answer).toBe(blanks);
});
