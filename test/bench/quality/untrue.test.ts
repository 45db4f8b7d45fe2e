import { describe, expect, it } from 'vitest';
import { untrueIn, writtenAnew } from '../../../bench/quality/untrue/check.ts';
import { HONEST, SEEDED_LIES, sampleSession } from '../../../bench/quality/untrue/seeded-lies.ts';
import { selfTest } from '../../../bench/quality/untrue/self-test.ts';
import { LIES } from '../../../bench/quality/untrue/statement.ts';
import { call, conversation, said, user } from './session.ts';

describe('untrue statements', () => {
  const session = sampleSession();

  it('are twenty of twenty that were seeded, of every kind', () => {
    expect(selfTest()).toEqual({ found: 20, of: 20, missed: [], false_alarms: [] });
    expect(new Set(SEEDED_LIES.map(({ lie }) => lie))).toEqual(new Set(LIES));
  });

  it.each(SEEDED_LIES)('$lie: $text', ({ lie, instead_of, text }) => {
    const found = untrueIn(
      HONEST.replace(instead_of, () => text),
      session,
    ).untrue;
    expect(found.map((one) => one.lie)).toContain(lie);
  });

  it.each([
    ['another wording of a true figure', 'Bash ran 4 times'],
    ['what the user said to a tool', 'User: keep the old name'],
    ['a file that was deleted, said so', '- scratch.ts: was removed again'],
    ['a replaced line, called so', '- src/upload.ts: replaced `const attempts = countOnce();`'],
    ['a call that is open', 'Still running: Bash npm run build'],
  ])('are not %s', (_, text) => {
    const refused = call(
      'Edit',
      { file_path: 'x.ts' },
      'Refused. The user said: keep the old name',
      true,
    );
    const all = { ...session, passages: [...session.passages, ...conversation(refused).passages] };
    expect(untrueIn(text, all).untrue).toEqual([]);
  });

  it('are looked for in what was written anew, not in what was kept', () => {
    const log = conversation(user('first words'), said('second words'));
    const context = conversation(user('first words'), user('A summary.'));
    expect(writtenAnew(context, log)).toBe('A summary.');
  });
});

describe('files as they are shown', () => {
  const read = (text: string) => call('Read', { file_path: '/app/pay.ts' }, text);
  const edit = call(
    'Edit',
    {
      file_path: '/app/pay.ts',
      old_string: 'const retries = readRetries();',
      new_string: 'const tries = 3;',
    },
    'ok',
  );
  const back = call(
    'Edit',
    {
      file_path: '/app/pay.ts',
      old_string: 'const tries = 3;',
      new_string: 'const retries = readRetries();',
    },
    'ok',
  );
  const shown = (line: string) =>
    `File /app/pay.ts (as last known):\nimport { readRetries } from './other.ts';\n${line}`;

  it.each([
    [
      'with what an edit took away',
      'const retries = readRetries();',
      [read('x'), edit],
      ['stale_file'],
    ],
    ['with what it put there', 'const tries = 3;', [read('x'), edit], []],
    ['with what was put back', 'const retries = readRetries();', [edit, back], []],
  ])('%s', (_, line, items, lies) => {
    const { untrue } = untrueIn(shown(line), conversation(...items));
    expect(untrue.map(({ lie }) => lie)).toEqual(lies);
  });
});
