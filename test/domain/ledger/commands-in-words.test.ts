import { describe, expect, test } from 'vitest';
import { asks, ledgerOf, tells } from '../../support/log-items.ts';

// mini-swe-agent and SWE-agent call no tools: the assistant ends its message with a command in a fence,
// and the shell answers in a message of the role `user`.

const fenced = (command: string) =>
  tells(`THOUGHT: I do it now.\n\n\`\`\`bash\n${command}\n\`\`\``);
const observed = (code: number, output: string) =>
  asks(`<returncode>${code}</returncode>\n<output>\n${output}\n</output>`);

describe('a command in a fence', () => {
  test('and what the shell says are a call and its result', () => {
    const ledger = ledgerOf([
      asks('Fix the parser.'),
      fenced('pytest tests/test_parser.py'),
      observed(1, 'E   ValueError: invalid rule\n1 failed'),
      fenced("sed -i 's/old_rule/new_rule/' src/parser.py"),
      observed(0, ''),
      fenced('pytest tests/test_parser.py'),
      observed(0, '1 passed in 0.1s'),
    ]);
    expect(ledger.calls).toBe(3);
    expect(ledger.requests.map(({ text }) => text)).toEqual(['Fix the parser.']);
    expect(ledger.runs).toMatchObject([
      { command: 'pytest tests/test_parser.py', runs: 2, failures: 1, outcome: 'ok', last_seq: 7 },
    ]);
    expect(ledger.failures).toMatchObject([
      {
        lines: ['E ValueError: invalid rule', '1 failed'],
        cure: { seq: 7, files: ['src/parser.py'] },
      },
    ]);
    expect(ledger.files).toMatchObject([
      { path: 'src/parser.py', edits: 1, added: ['new_rule'], removed: ['old_rule'] },
    ]);
  });

  test('SWE-agent: its shell answers without a code', () => {
    const ledger = ledgerOf([
      asks('Fix the parser.'),
      tells('I look at it.\n\n```\npython reproduce.py\n```'),
      asks(
        'Traceback (most recent call last):\n  File "reproduce.py", line 1, in <module>\nValueError: invalid rule\n(Open file: n/a)\n(Current directory: /parser)\nbash-$',
      ),
    ]);
    expect(ledger.requests.map(({ text }) => text)).toEqual(['Fix the parser.']);
    expect(ledger.failures).toMatchObject([{ what: 'bash (python reproduce.py)' }]);
  });

  const shown = (text: string) =>
    asks(`${text}\n(Open file: /w/a.py)\n(Current directory: /w)\nbash-$`);

  test.each<[string, string, string, object]>([
    [
      'create',
      'create a.py',
      '[File: /w/a.py (1 lines total)]\n1:\n',
      { path: '/w/a.py', edits: 1, is_created: true },
    ],
    [
      'edit',
      'edit 1:1\nimport json_tools\nend_of_edit',
      '[File: /w/a.py (1 lines total)]\n1:import json_tools\nFile updated. Please review the changes and make sure they are correct.',
      { path: '/w/a.py', edits: 1, added: ['json_tools'] },
    ],
    [
      'open',
      'open a.py 12',
      '[File: /w/a.py (100 lines total)]\n12:import json_tools',
      { path: '/w/a.py', reads: 1 },
    ],
    ['a shell in a folder', 'rm b.py', '', { path: '/w/b.py', state: 'deleted' }],
  ])("SWE-agent's own commands: %s", (_, command, answer, file) => {
    const items = [asks('Fix it.'), fenced('ls'), shown('a.py'), fenced(command), shown(answer)];
    expect(ledgerOf(items).files).toMatchObject([file]);
  });

  test.each([
    ['one that is not at the end', 'As in\n```bash\nrm -rf build\n```\nI could clear it. Shall I?'],
    ['one without an answer of the shell', '```bash\nrm -rf build\n```'],
  ])('%s is none', (_, words) => {
    const ledger = ledgerOf([asks('Go.'), tells(words), asks('Yes, and then test it.')]);
    expect(ledger).toMatchObject({ calls: 0, files: [], runs: [] });
    expect(ledger.requests).toHaveLength(2);
  });

  const tagged = (name: string, args: Record<string, string>) =>
    tells(
      `I do it now.\n\n<function=${name}>\n${Object.entries(args)
        .map(([key, value]) => `<parameter=${key}>${value}</parameter>\n`)
        .join('')}</function>`,
    );
  const answered = (text: string) => asks(`OBSERVATION:\n${text}`);

  test('and so are a call in tags and what it answers', () => {
    const edit = (new_str: string) =>
      tagged('str_replace_editor', {
        command: 'str_replace',
        path: '/w/a.py',
        old_str: '\nvar = old_rule\n',
        new_str,
      });
    const ledger = ledgerOf([
      asks('Fix it.'),
      tagged('bash', { command: 'python reproduce.py' }),
      answered('Traceback (most recent call last):\nValueError: invalid rule'),
      edit('\nvar = new_rule  # </parameter> ends an argument\n'),
      answered('The file /w/a.py has been edited.'),
      edit('\nvar = other_rule\n'),
      answered('No replacement was performed, old_str `x` did not appear verbatim in /w/a.py.'),
      tagged('str_replace_editor', { command: 'view', path: '/w/b.py', view_range: '[1, 2]' }),
      answered("Here's the result of running `cat -n` on /w/b.py:\n     1\tx\n     2\ty"),
      tagged('execute_bash', { command: 'pytest -q' }),
      asks('EXECUTION RESULT of [execute_bash]:\n1 passed in 0.1s'),
    ]);
    expect(ledger.calls).toBe(5);
    expect(ledger.requests).toHaveLength(1);
    expect(ledger.failures).toMatchObject([
      { what: 'bash (python reproduce.py)', lines: ['ValueError: invalid rule'] },
      { what: 'str_replace_editor (w/a.py)' },
    ]);
    expect(ledger.files).toMatchObject([
      { path: '/w/a.py', edits: 1, added: ['new_rule'], removed: ['old_rule'] },
      { path: '/w/b.py', reads: 1 },
    ]);
    expect(ledger.runs).toMatchObject([{ command: 'pytest -q', outcome: 'ok' }]);
  });

  test.each([
    'Call it so: <function=bash> and then end it.',
    'So:\n<function=bash>\n<parameter=command>rm -rf build</parameter>\n</function>',
  ])('a file that tells of calls in tags is none: %s', (file_text) => {
    const written = { command: 'create', path: '/w/a.md', file_text: `${file_text}\n` };
    const ledger = ledgerOf([
      asks('Write it down.'),
      tagged('str_replace_editor', written),
      answered('File created successfully at: /w/a.md'),
    ]);
    expect(ledger.requests).toHaveLength(1);
    expect(ledger).toMatchObject({ calls: 1, tools: [{ name: 'str_replace_editor' }] });
    expect(ledger.files).toMatchObject([{ path: '/w/a.md' }]);
  });

  test('tags that are shown and not called are none', () => {
    const shown = 'Models write `<function=bash>` and end with `</function>`. See?';
    const ledger = ledgerOf([asks('How?'), tells(shown), asks('I see.'), tells('</function>')]);
    expect(ledger).toMatchObject({ calls: 0, failures: [] });
  });
});
