import { describe, expect, test } from 'vitest';
import { asks, ledgerOf, used } from '../../support/log-items.ts';

const failed = used('exec', { command: 'npm test' }, 'Error: 1 is not 2\n\nExit code 1', true);

describe('a command that OpenClaw does not wait for', () => {
  const left = [
    ...failed,
    ...used(
      'exec',
      { command: 'npm test' },
      'Command still running (session amber-tidepool, pid 32031). Use process (list/poll/log/write/kill/clear/remove) for follow-up.',
    ),
  ];
  const asked = (action: string, result: string) =>
    used('process', { action, sessionId: 'amber-tidepool' }, result);
  const says = (how: string) => asks(`System: [2026-02-04 03:05:05 UTC] Exec ${how}\n\nand now?`);

  test('goes on, also where it is asked how it stands', () => {
    expect(ledgerOf(left).open_calls).toMatchObject([{ id: 'process amber-ti' }]);
    const polled = [...left, ...asked('poll', '12 tests so far\n\nProcess still running.')];
    expect(ledgerOf(polled).open_calls).toMatchObject([{ id: 'process amber-ti' }]);
    const written = [...left, ...asked('write', 'Wrote 2 bytes to session amber-tidepool.')];
    expect(ledgerOf(written).open_calls).toMatchObject([{ id: 'process amber-ti' }]);
    expect(ledgerOf(written).failures.map(({ cure }) => cure)).toEqual([null]);
  });

  test.each<[string, boolean[]]>([
    ['completed (amber-ti, code 0) :: 12 passed', [true]],
    ['completed (amber-ti, code 1) :: Error: 1 is not 3', [false, false]],
    ['failed (amber-ti, signal SIGKILL)', [false]],
  ])('%s', (how, cured) => {
    const { failures, open_calls } = ledgerOf([...left, says(how)]);
    expect(failures.map(({ cure }) => cure !== null)).toEqual(cured);
    expect(open_calls).toEqual([]);
  });

  test('ends where it is stopped', () => {
    const { failures, open_calls } = ledgerOf([
      ...left,
      ...asked('kill', 'Killed session amber-tidepool.'),
    ]);
    expect([failures.map(({ cure }) => cure), open_calls]).toEqual([[null], []]);
  });
});

describe('a command that Hermes does not wait for', () => {
  const left = [
    ...failed,
    ...used(
      'terminal',
      { command: 'npm test', background: true },
      '{"output": "Background process started", "session_id": "proc_14e580dd", "pid": 63632, "exit_code": 0, "error": null}',
    ),
  ];

  test('goes on, also where it is asked how it stands', () => {
    const polled = used(
      'process',
      { action: 'poll', session_id: 'proc_14e580dd' },
      '{"session_id": "proc_14e580dd", "command": "npm test", "status": "running", "pid": 63632}',
    );
    expect(ledgerOf(left).open_calls).toMatchObject([{ id: 'process proc_14e580dd' }]);
    expect(ledgerOf([...left, ...polled]).open_calls).toMatchObject([
      { id: 'process proc_14e580dd' },
    ]);
  });

  const waited = (answer: string) =>
    ledgerOf([
      ...left,
      ...used('process', { action: 'wait', session_id: 'proc_14e580dd', timeout: 5 }, answer),
    ]);

  test('goes on where its end was waited for too long', () => {
    const answer =
      '{"status": "timeout", "output": "12 tests", "timeout_note": "Waited 5s, process still running"}';
    expect(waited(answer).open_calls).toMatchObject([{ id: 'process proc_14e580dd' }]);
  });

  test.each<[string, boolean[]]>([
    ['{"status": "exited", "exit_code": 0, "output": "12 passed"}', [true]],
    ['{"status": "exited", "exit_code": 2, "output": "Error: 1 is not 3"}', [false, false]],
    [
      '{"session_id": "proc_14e580dd", "command": "npm test", "cwd": "/root", "pid": 2460036, "started_at": "2026-04-24T12:20:20", "uptime_seconds": 237, "status": "exited", "output_preview": "Error: 1 is not 3", "exit_code": 1}',
      [false, false],
    ],
  ])('has ended as it is told: %s', (answer, cured) => {
    const { failures, open_calls } = waited(answer);
    expect(failures.map(({ cure }) => cure !== null)).toEqual(cured);
    expect(open_calls).toEqual([]);
  });

  test.each<[string, boolean[]]>([
    ['completed (exit code 0).\nCommand: npm test\nOutput:\n12 passed', [true]],
    ['completed (exit code 1).\nCommand: npm test\nOutput:\nError: 1 is not 3', [false, false]],
    ['completed (exit code -15).\nCommand: npm test\nOutput:\n', [false]],
    ['completed normally (exit code 0).\nCommand: npm test\nOutput:\n12 passed', [true]],
    ['completed (exit_code=0).\nCommand: npm test\nOutput:\n12 passed', [true]],
    ['exited (exit code 1).\nCommand: npm test\nOutput:\nError: 1 is not 3', [false, false]],
    ['terminated by Hermes (exit code 143, SIGTERM).\nCommand: npm test\nOutput:\n', [false]],
    ['failed to start (exit code ?).\nCommand: npm test\nOutput:\n', [false, false]],
  ])('%s', (how, cured) => {
    const says = asks(`[Marco] [SYSTEM: Background process proc_14e580dd ${how}]`);
    const { failures, open_calls } = ledgerOf([...left, says]);
    expect(failures.map(({ cure }) => cure !== null)).toEqual(cured);
    expect(open_calls).toEqual([]);
  });
});
