import { describe, expect, it } from 'vitest';
import type { Item } from '../../../../src/domain/items/item.ts';
import { textWhenWhole } from '../../../../src/domain/workspace/known-text.ts';
import { foldWorkspace } from '../../../../src/domain/workspace/known-workspace.ts';
import { materialFor } from '../../../support/given.ts';
import { call, result } from '../../../support/items.ts';

type Ran = [name: string, command: string, answer: string];

/** What is known after these commands, run one after the other from `/w` on. */
function knownAfter(...ran: Ran[]): string[] {
  const items: Item[] = ran.flatMap(([name, command, answer], n) => [
    call(`c${n}`, name, { command }),
    result(`c${n}`, answer),
  ]);
  const { files } = foldWorkspace(
    materialFor(items).map(({ original }) => original),
    '/w',
  );
  return files.map(({ path, text, changedBy }) => {
    return `${path}${changedBy === null ? '' : '?'} ${JSON.stringify(textWhenWhole(text))}`;
  });
}

describe('the folder that a command runs in', () => {
  it.each<[string, Ran[], string[]]>([
    [
      "Claude Code's shell stays where it went",
      [
        ['Bash', 'cd packages/a && npm test', 'ok'],
        ['Bash', 'cat src/i.ts', 'x\n'],
      ],
      ['/w/packages/a/src/i.ts "x\\n"'],
    ],
    [
      'but not when the command failed, or it says that it went back',
      [
        ['Bash', 'cd packages/a && npm test', 'Error: no such script'],
        ['Bash', 'cat src/i.ts', 'x\n'],
        ['Bash', 'cd /etc && ls', 'hosts\nShell cwd was reset to /w'],
        ['Bash', 'cat src/j.ts', 'y\n'],
      ],
      ['/w/src/i.ts "x\\n"', '/w/src/j.ts "y\\n"'],
    ],
    [
      'each command of Codex and Gemini CLI begins in the folder of the session',
      [
        ['exec_command', 'cd packages/a && npm test', 'ok'],
        ['exec_command', 'cat src/i.ts', 'x\n'],
        ['run_shell_command', 'cat src/j.ts', 'y\n'],
      ],
      ['/w/src/i.ts "x\\n"', '/w/src/j.ts "y\\n"'],
    ],
    [
      'of other shells nobody knows',
      [
        ['bash', 'cd packages/a && npm test', 'ok'],
        ['bash', 'cat src/i.ts', 'x\n'],
      ],
      ['src/i.ts "x\\n"'],
    ],
    [
      'pushd and popd',
      [['Bash', 'pushd lib > /dev/null; popd > /dev/null && cat i.ts', 'x\n']],
      ['/w/i.ts "x\\n"'],
    ],
    ['pushd prints its folders', [['Bash', 'pushd lib && cat i.ts', '/w/lib /w\nx\n']], []],
    [
      'a folder that was not there, or that only a condition goes to',
      [
        ['Bash', 'cd lib; cat i.ts', 'bash: line 1: cd: lib: No such file or directory\nx\n'],
        ['Bash', 'cd /w', ''],
        ['Bash', 'make && cd lib; echo x > j.ts', ''],
      ],
      ['j.ts "x\\n"'],
    ],
    ['a folder only for a subshell', [['Bash', '(cd lib && make); cat i.ts', 'x\n']], []],
  ])('%s', (_, ran, files) => expect(knownAfter(...ran)).toEqual(files));
});

describe('lines that a shell puts around an output', () => {
  it.each<[string, string]>([
    ['a reset', 'x\nShell cwd was reset to /w'],
    ['a reset with a line feed', 'x\nShell cwd was reset to /w\n'],
    [
      'no terminal',
      'bash: cannot set terminal process group (1): Inappropriate ioctl for device\nbash: no job control in this shell\nx\n',
    ],
    ['a locale', '/bin/bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)\nx\n'],
  ])('%s', (_, answer) => {
    expect(knownAfter(['Bash', 'cat i.ts', answer])).toEqual(['/w/i.ts "x\\n"']);
  });

  it('stay where they are the content', () => {
    const text = 'x\nbash: no job control in this shell\ny\n';
    expect(knownAfter(['Bash', 'cat i.log', text])).toEqual([`/w/i.log ${JSON.stringify(text)}`]);
  });
});

describe('what is written by commands that say it', () => {
  it.each<[string, string | null]>([
    ["printf 'a\\tb\\n' > f", 'a\tb\n'],
    ["printf 'a\\\\nb\\x41\\101\\n' > f", 'a\\nbAA\n'],
    ["printf '%s\\n' one 'two three' > f", 'one\ntwo three\n'],
    ["printf '%s=%s;' a b c > f", 'a=b;c=;'],
    ["printf '%d\\n' 1 > f", null],
    ["printf '\\q' > f", null],
    ["printf '\\xc3' > f", null],
    ['echo one two > f', 'one two\n'],
    ['echo -n one > f', 'one'],
    // Shells differ in these.
    ["echo 'a\\nb' > f", null],
    ["echo -e 'a' > f", null],
    ['echo $HOME > f', null],
  ])('%s', (command, text) => {
    expect(knownAfter(['Bash', command, ''])).toEqual(
      text === null ? [] : [`/w/f ${JSON.stringify(text)}`],
    );
  });

  it('and moved to another folder', () => {
    const write: Ran = ['Bash', "cat > a.ts <<'E'\nx\nE", ''];
    const other: Ran = ['Bash', "cat > lib/b.ts <<'E'\ny\nE", ''];
    expect(knownAfter(write, other, ['Bash', 'mv a.ts lib', ''])).toEqual([
      '/w/lib/b.ts "y\\n"',
      '/w/lib/a.ts "x\\n"',
    ]);
    expect(knownAfter(write, ['Bash', 'mv a.ts lib', ''])).toEqual([]);
    expect(knownAfter(write, ['Bash', 'mv -n a.ts b.ts', ''])).toEqual(['/w/a.ts? "x\\n"']);
  });
});

describe('a patch of Codex that moves', () => {
  const patch =
    '*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: lib/b.ts\n@@\n-x\n+y\n*** End Patch';
  const write = [
    call('w', 'exec_command', { cmd: "cat > src/a.ts <<'E'\nx\nE", workdir: '/v' }),
    result('w', ''),
  ];
  it.each<[string, string, Item[]]>([
    [
      'in its own folder',
      '/v',
      [
        call('p', 'shell', { command: ['apply_patch', patch], workdir: '/v' }),
        result('p', 'Success. Updated the following files:\nM lib/b.ts'),
      ],
    ],
    [
      'whose folder nobody names',
      '/v',
      [
        call('p', 'apply_patch', { input: patch }),
        result('p', 'Success. Updated the following files:\nM lib/b.ts'),
      ],
    ],
  ])('%s', (_, folder, items) => {
    const { files } = foldWorkspace(
      materialFor([...write, ...items]).map(({ original }) => original),
    );
    expect(files.map(({ path, text }) => [path, textWhenWhole(text)])).toEqual([
      [`${folder}/lib/b.ts`, 'y\n'],
    ]);
  });
});
