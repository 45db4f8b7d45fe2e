import { describe, expect, test } from 'vitest';
import type { File } from '../../../src/domain/ledger/ledger.ts';
import { attachment } from '../../support/items.ts';
import { asks, ledgerOf, normalised, ran, used } from '../../support/log-items.ts';
import { codex } from '../../support/tool-calls.ts';

type Items = ReturnType<typeof used>;

const filesOf = (...items: Items[]): File[] => ledgerOf(items.flat()).files;

/** What a successor reads of a file. */
function told({ path, reads, edits, state, is_created, moved_to, added, removed, line }: File) {
  return [
    `${path}: ${reads} read, ${edits} changed, ${state}`,
    ...(is_created ? ['created'] : []),
    ...(moved_to === undefined ? [] : [`to ${moved_to}`]),
    ...(added.length > 0 ? [`+ ${added.join(' ')}`] : []),
    ...(removed.length > 0 ? [`- ${removed.join(' ')}`] : []),
    ...(line === undefined ? [] : [`| ${line}`]),
  ].join('; ');
}
const linesOf = (...items: Items[]) => filesOf(...items).map(told);

const asksIn = (folder: string) => [asks(`Tidy this up.\nWorking directory: ${folder}`)];
const UPDATED = 'The file /w/src/client.ts has been updated successfully.';
const edit = (old_string: string, new_string: string, file_path = '/w/src/client.ts') =>
  used('Edit', { replace_all: false, file_path, old_string, new_string }, UPDATED);
const write = (file_path: string, content: string) =>
  used('Write', { file_path, content }, `File created successfully at: ${file_path}`);
const patch = (...lines: string[]) =>
  used(
    'apply_patch',
    ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
    '{"output":"Success. Updated the following files:\\nM a.ts\\n","metadata":{"exit_code":0,"duration_seconds":0.0}}',
  );
const exec = (cmd: string, output = '') =>
  used('exec_command', { cmd, workdir: '/w' }, codex(output));

describe('what each tool has done to a file', () => {
  test.each<[string, Items, string]>([
    [
      'Edit of Claude Code',
      edit('let a = oldName();', 'const maxRetries = 3;\nlet a = newName();'),
      '/w/src/client.ts: 0 read, 1 changed, present; + maxRetries newName; - oldName; | const maxRetries = 3;',
    ],
    [
      'Write',
      write('/w/src/retry.ts', '\nexport function withBackoff() {}\n'),
      '/w/src/retry.ts: 0 read, 1 changed, present; created; + withBackoff; | export function withBackoff() {}',
    ],
    [
      'MultiEdit',
      used(
        'MultiEdit',
        {
          file_path: '/w/a.py',
          edits: [
            { old_string: 'x = load_old()', new_string: 'x = load_new()' },
            { old_string: 'y = 1', new_string: 'y = second_value()' },
          ],
        },
        'Applied 2 edits to /w/a.py:',
      ),
      '/w/a.py: 0 read, 1 changed, present; + load_new second_value; - load_old; | y = second_value()',
    ],
    [
      'edit of pi',
      used(
        'edit',
        {
          path: '/w/a.ts',
          oldText: 'messages(): OldMessage[]',
          newText: 'messages(): AppMessage[]',
        },
        'Successfully replaced text in /w/a.ts. Changed 24 characters to 24 characters.',
      ),
      '/w/a.ts: 0 read, 1 changed, present; + AppMessage; - OldMessage; | messages(): AppMessage[]',
    ],
    [
      'write of pi',
      used(
        'write',
        { path: '/w/core/executor.ts', content: 'export class BashExecutor {}' },
        'Successfully wrote 28 bytes to /w/core/executor.ts',
      ),
      '/w/core/executor.ts: 0 read, 1 changed, present; created; + BashExecutor; | export class BashExecutor {}',
    ],
    [
      'edit of Copilot',
      used(
        'edit',
        { path: '/w/a.md', old_str: 'see old_page', new_str: 'see new_page' },
        'File /w/a.md updated with changes.',
      ),
      '/w/a.md: 0 read, 1 changed, present; + new_page; - old_page; | see new_page',
    ],
    [
      'create of Copilot',
      used(
        'create',
        { path: '/w/b.md', file_text: '# About load_config' },
        'Created file /w/b.md with 19 characters',
      ),
      '/w/b.md: 0 read, 1 changed, present; created; + load_config; | # About load_config',
    ],
    [
      'a patch that changes',
      patch(
        '*** Update File: /w/a.ts',
        '@@',
        ' function outer() {',
        '-  oldCall();',
        '+  newCall();',
        ' }',
      ),
      '/w/a.ts: 0 read, 1 changed, present; + newCall; - oldCall; | newCall();',
    ],
    [
      'a patch that adds',
      patch('*** Add File: /w/b.ts', '+export const tableOfRules = [];'),
      '/w/b.ts: 0 read, 1 changed, present; created; + tableOfRules; | export const tableOfRules = [];',
    ],
    [
      'a patch that deletes',
      patch('*** Delete File: /w/c.ts'),
      '/w/c.ts: 0 read, 1 changed, deleted',
    ],
    [
      'sed in place',
      exec("sed -i 's/old_name/new_name/g' lib/x.rb"),
      '/w/lib/x.rb: 0 read, 1 changed, present; + new_name; - old_name; | new_name',
    ],
    [
      'a here-document',
      used('Bash', { command: "cat > /w/app.py <<'EOF'\ndef main_loop():\n    pass\nEOF" }, ''),
      '/w/app.py: 0 read, 1 changed, present; created; + main_loop; | def main_loop():',
    ],
    [
      'str_replace of the editor',
      used(
        'str_replace_based_edit_tool',
        { command: 'str_replace', path: '/w/a.py', old_str: 'run_old()', new_str: 'run_new()' },
        'The file /w/a.py has been edited.',
      ),
      '/w/a.py: 0 read, 1 changed, present; + run_new; - run_old; | run_new()',
    ],
    [
      'an editor without commands',
      used(
        'str_replace_editor',
        { path: '/w/a.py', old_str: 'run_old()', new_str: 'run_new()' },
        'Updated /w/a.py with 1 addition and 1 removal',
      ),
      '/w/a.py: 0 read, 1 changed, present; + run_new; - run_old; | run_new()',
    ],
    [
      'create of the editor',
      used(
        'str_replace_based_edit_tool',
        { command: 'create', path: '/w/n.py', file_text: 'class NodeTree: pass' },
        'File created successfully at: /w/n.py',
      ),
      '/w/n.py: 0 read, 1 changed, present; created; + NodeTree; | class NodeTree: pass',
    ],
    [
      'insert of the editor',
      used(
        'str_replace_based_edit_tool',
        { command: 'insert', path: '/w/n.py', insert_line: 2, insert_text: 'import json_tools' },
        'The file /w/n.py has been edited.',
      ),
      '/w/n.py: 0 read, 1 changed, present; + json_tools',
    ],
    [
      'a view of the editor',
      used('str_replace_based_edit_tool', { command: 'view', path: '/w/n.py' }, '     1\tx = 1'),
      '/w/n.py: 1 read, 0 changed, present',
    ],
    [
      'Read',
      used('Read', { file_path: '/w/n.py' }, '     1→x = 1'),
      '/w/n.py: 1 read, 0 changed, present',
    ],
    [
      'what Codex prints',
      exec("sed -n '1,9p' n.py", 'x = 1'),
      '/w/n.py: 1 read, 0 changed, present',
    ],
    [
      'an appended line',
      used('Bash', { command: "echo 'export HOME_URL=x' >> /w/.envrc" }, ''),
      '/w/.envrc: 0 read, 1 changed, present; + HOME_URL; | export HOME_URL=x',
    ],
    [
      'rm',
      used('Bash', { command: 'rm /w/out.txt' }, ''),
      '/w/out.txt: 0 read, 1 changed, deleted',
    ],
  ])('%s', (_, items, line) => expect(linesOf(items)).toEqual([line]));

  test('a move tells both paths, and the names go along', () => {
    expect(
      linesOf(
        write('/w/old.ts', 'export const firstTable = 1;'),
        used('Bash', { command: 'git mv /w/old.ts /w/new.ts' }, ''),
      ),
    ).toEqual([
      '/w/old.ts: 0 read, 2 changed, moved; created; to /w/new.ts',
      '/w/new.ts: 0 read, 1 changed, present; created; + firstTable',
    ]);
  });

  test('what is only moved has not been changed, nor has a folder', () => {
    const read = used('Read', { file_path: '/w/a/x.ts' }, '     1→let a = firstTable;');
    const moved = used('Bash', { command: 'git mv b c && git mv a d && git status' }, '');
    expect(linesOf(asksIn('/w'), read, moved)).toEqual([
      '/w/d/x.ts: 1 read, 0 changed, present',
      '/w/b: 0 read, 1 changed, moved; to /w/c',
      '/w/c: 0 read, 0 changed, present',
      '/w/a: 0 read, 1 changed, moved; to /w/d',
    ]);
  });

  test('a file without a folder is one of the worktree that Claude Code has gone into', () => {
    const into = asks(
      '<system-reminder>\n# Environment update\n - Primary working directory: /w/.claude/worktrees/a (was /w)\n - This is a git worktree\n</system-reminder>',
    );
    const write = used('Write', { file_path: 'x.ts', content: 'let a;' }, 'File created');
    expect(linesOf(asksIn('/w'), [into], write)).toEqual([
      '/w/.claude/worktrees/a/x.ts: 0 read, 1 changed, present; created; | let a;',
    ]);
  });

  test('what sed has changed in one file it has not changed in another one', () => {
    const script = "sed -i 's/oneName/redName/' /w/a.ts; sed -i 's/twoName/blueName/' /w/b.ts";
    expect(filesOf(used('Bash', { command: script }, ''))).toMatchObject([
      { path: '/w/a.ts', added: ['redName'], removed: ['oneName'] },
      { path: '/w/b.ts', added: ['blueName'], removed: ['twoName'] },
    ]);
  });

  test('a folder that takes the place of another one is told once', () => {
    const items = [write('/w/lib/a.ts', 'x'), write('/w/src/a.ts', 'let a = firstTable;')];
    const moved = used('Bash', { command: 'rm -rf /w/lib && mv /w/src /w/lib' }, '');
    expect(linesOf(...items, moved)).toEqual([
      '/w/lib/a.ts: 0 read, 1 changed, present; created; + firstTable; | let a = firstTable;',
      '/w/src: 0 read, 1 changed, moved; to /w/lib',
    ]);
  });

  test('what is moved or copied into a known folder goes in there', () => {
    const items = [
      write('/w/src/a.ts', 'let a;'),
      used('Bash', { command: 'mv /w/b.ts /w/src' }, ''),
    ];
    expect(linesOf(...items)).toContain('/w/b.ts: 0 read, 1 changed, moved; to /w/src/b.ts');
    const [, copy] = filesOf(
      write('/w/src/a.ts', 'let a;'),
      used('Bash', { command: 'cp /w/b.ts /w/src' }, ''),
    );
    expect(copy).toMatchObject({ path: '/w/src/b.ts', copied_from: '/w/b.ts' });
    const twice = filesOf(
      used('Bash', { command: 'cp /w/a.ts /w/b.ts && mv /w/b.ts /w/c.ts' }, ''),
    );
    expect(twice.at(-1)).toMatchObject({ path: '/w/c.ts', edits: 1, copied_from: '/w/a.ts' });
    const gone = filesOf(
      write('/w/dist/a.ts', 'let a;'),
      used('Bash', { command: 'rm -rf /w/dist && cp -r /w/build /w/dist' }, ''),
    );
    expect(gone[1]).toMatchObject({ path: '/w/dist', copied_from: '/w/build' });
  });

  test('an edit that brings in imports only leaves no line that stands for it', () => {
    const body = edit('x', 'const maxRetries = 3;');
    expect(filesOf(body, edit('"fmt"', '"fmt"\n\t"time"'))[0]?.line).toBeUndefined();
    expect(filesOf(body, edit('y', 'import { a } from "b";\nconst b = a();'))[0]?.line).toBe(
      'const b = a();',
    );
  });

  test('a line of which an edit has replaced a piece since is not told', () => {
    const body = edit('RATES = {}', 'RATES = {"DE": 19}');
    const line = (removed: string, added: string) => filesOf(body, edit(removed, added))[0]?.line;
    expect(line('{"DE": 19}', '{"DE": 19, "FR": 20}')).toBeUndefined();
    expect(line('"NL": 21}', '"NL": 9}')).toBe('RATES = {"DE": 19}');
  });

  test('a line that sed has changed since is not told', () => {
    const sed = (script: string) => used('Bash', { command: `sed -i '${script}' /w/a.md` }, '');
    const written = write('/w/a.md', 'see this — or that');
    expect(filesOf(written, sed('s/ — / - /g'))[0]?.line).toBeUndefined();
    expect(filesOf(written, sed('s/ – / - /g'))[0]?.line).toBe('see this — or that');
  });

  test('a patch that moves and changes', () => {
    expect(
      linesOf(
        patch(
          '*** Update File: /w/old.py',
          '*** Move to: /w/new.py',
          '@@',
          '-old_call()',
          '+new_call()',
        ),
      ),
    ).toEqual([
      '/w/old.py: 0 read, 2 changed, moved; to /w/new.py; - old_call',
      '/w/new.py: 0 read, 1 changed, present; + new_call',
    ]);
  });

  test('a file in an attachment was read; one that a compaction has put back was not', () => {
    const [file] = normalised('anthropic', [attachment('file', 'let a;', '/w/a.ts')]);
    if (file?.kind !== 'attachment') throw new Error('no attachment');
    expect(ledgerOf([file]).files.map(told)).toEqual(['/w/a.ts: 1 read, 0 changed, present']);
    expect(ledgerOf([{ ...file, is_restored: true }]).files).toEqual([]);
  });

  test('names in an attachment belong to its file as those of a read do', () => {
    const [file] = normalised('anthropic', [
      attachment('file', 'let cachedRows;', '/w/src/store/a.ts'),
    ]);
    if (file?.kind !== 'attachment') throw new Error('no attachment');
    const read = used('Read', { file_path: '/w/src/store/a.ts' }, '     1→let cachedRows;');
    for (const items of [[file], read]) {
      const name = ledgerOf(items).names.find((one) => one.name === 'cachedRows');
      expect(name?.file).toBe('store/a.ts');
    }
  });
});

/** The names that are met in each file. */
function metIn(...items: Items[]): Record<string, string[]> {
  const met: Record<string, string[]> = {};
  for (const { name, file } of ledgerOf(items.flat()).names) {
    if (file !== undefined) met[file] = [...(met[file] ?? []), name];
  }
  for (const names of Object.values(met)) names.sort();
  return met;
}

describe('names belong to the file that they stand in', () => {
  const shell = (command: string, output: string) => used('Bash', { command }, output);
  const read = (path: string, line: string) => used('Read', { file_path: path }, `     1→${line}`);

  test.each<[string, Items, Record<string, string[]>]>([
    [
      'a linter beside a part of a file',
      shell(
        'vale --output line a.md; sed -n 1,2p w/b.md',
        'a.md:1:2:EmDashUsage\nsee loadConfig\nand all',
      ),
      {},
    ],
    [
      'two files with a line between',
      shell('cat w/a.md; echo ---; cat w/b.md', 'see loadConfig\n---\nsee saveConfig\n'),
      { 'w/a.md': ['loadConfig'], 'w/b.md': ['saveConfig'] },
    ],
    [
      'parts of two files',
      shell('sed -n 1,1p w/a.md; sed -n 3,4p w/b.md', 'see loadConfig\nsee saveConfig\nand all\n'),
      { 'w/a.md': ['loadConfig'], 'w/b.md': ['saveConfig'] },
    ],
    [
      'a file that a comparison stands before',
      shell(
        'diff w/a.md w/b.md && echo SAME; sed -n 1,2p w/c.md',
        '< loadConfig\n> saveConfig\nnewTable',
      ),
      {},
    ],
    [
      'one file alone',
      shell('cd /r && cat w/a.md', 'see loadConfig\n'),
      { 'w/a.md': ['loadConfig'] },
    ],
    [
      'lines of one file',
      shell('cat w/a.md | grep C', 'see loadConfig\n'),
      { 'w/a.md': ['loadConfig'] },
    ],
  ])('%s', (_, items, met) => expect(metIn(items)).toEqual(met));

  test.each<[string, Items[], Record<string, string[]>]>([
    [
      'an edit',
      [read('/w/a.ts', 'oldName(loadRows)'), edit('oldName', 'newName', '/w/a.ts')],
      { 'w/a.ts': ['loadRows'] },
    ],
    [
      'a write',
      [read('/w/a.ts', 'oldName(loadRows)'), write('/w/a.ts', 'see loadRows')],
      { 'w/a.ts': ['loadRows'] },
    ],
    [
      'a whole read',
      [read('/w/a.ts', 'oldName(loadRows)'), read('/w/a.ts', 'loadRows()')],
      { 'w/a.ts': ['loadRows'] },
    ],
    [
      'sed',
      [read('/w/a.ts', 'oldName(loadRows)'), shell("sed -i 's/oldName/newName/' /w/a.ts", '')],
      { 'w/a.ts': ['loadRows'] },
    ],
    ['a deletion', [read('/w/a.ts', 'oldName()'), shell('rm /w/a.ts', '')], {}],
    ['a program', [read('/w/a.ts', 'oldName()'), shell('make-it > /w/a.ts', '')], {}],
    [
      'a move',
      [read('/w/a.ts', 'oldName()'), shell('mv /w/a.ts /w/b.ts', '')],
      { 'w/b.ts': ['oldName'] },
    ],
    [
      'an edit of another file',
      [read('/w/a.ts', 'oldName()'), edit('oldName', 'newName', '/w/b.ts')],
      { 'w/a.ts': ['oldName'] },
    ],
  ])('until it is taken out by %s', (_, items, met) => expect(metIn(...items)).toEqual(met));
});

describe('what has failed has done nothing', () => {
  test.each<[string, Items]>([
    [
      'a read',
      used(
        'Read',
        { file_path: '/w/gone.ts' },
        '<tool_use_error>File does not exist.</tool_use_error>',
        true,
      ),
    ],
    [
      'an edit',
      used(
        'Edit',
        { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' },
        '<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>',
        true,
      ),
    ],
    [
      'a patch',
      used(
        'apply_patch',
        '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch',
        'apply_patch verification failed: Failed to read file to delete a.ts',
      ),
    ],
    [
      'a write that was turned down',
      used(
        'Write',
        { file_path: '/w/a.ts', content: 'x' },
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
        true,
      ),
    ],
    ['a call without a result', used('Write', { file_path: '/w/a.ts', content: 'x' }, null)],
  ])('%s', (_, items) => {
    expect(filesOf(items).filter(({ reads, edits }) => reads + edits > 0)).toEqual([]);
  });
});

describe('names that edits bring in', () => {
  test('and later ones take away again are not told', () => {
    expect(
      linesOf(
        edit('// here', 'const draftName = 1;\nconst otherName = 2;'),
        edit('const draftName = 1;', 'const finalName = 1;'),
      ),
    ).toEqual([
      '/w/src/client.ts: 0 read, 2 changed, present; + finalName otherName; | const finalName = 1;',
    ]);
  });

  test('that were there before are removed names when they go, and come back when put back', () => {
    const away = edit('callIt(firstName);', 'callIt();');
    expect(linesOf(away)).toEqual([
      '/w/src/client.ts: 0 read, 1 changed, present; - firstName; | callIt();',
    ]);
    expect(linesOf(away, edit('callIt();', 'callIt(firstName);'))).toEqual([
      '/w/src/client.ts: 0 read, 2 changed, present; + firstName; | callIt(firstName);',
    ]);
  });

  test('what is declared stands before what is only used', () => {
    expect(
      filesOf(edit('', 'useFirst(thenSecond);\nfunction declaredLast() {}'))[0]?.added,
    ).toEqual(['declaredLast', 'useFirst', 'thenSecond']);
  });

  test('a file that is written anew keeps only what it now holds', () => {
    expect(
      linesOf(write('/w/a.ts', 'const firstTry = 1;'), write('/w/a.ts', 'const secondTry = 2;')),
    ).toEqual([
      '/w/a.ts: 0 read, 2 changed, present; created; + secondTry; - firstTry; | const secondTry = 2;',
    ]);
  });

  test('a deleted file has none; one that is written again after that has its own', () => {
    const gone = [
      write('/w/a.ts', 'const firstTry = 1;'),
      used('Bash', { command: 'rm /w/a.ts' }, ''),
    ];
    expect(filesOf(...gone)[0]).toMatchObject({ state: 'deleted', added: [] });
    expect(filesOf(...gone, write('/w/a.ts', 'const secondTry = 2;'))[0]).toMatchObject({
      state: 'present',
      added: ['secondTry'],
    });
  });

  test('are at most twenty-four of a file, the newest first', () => {
    const names = Array.from({ length: 40 }, (_, place) => `nameNumber${place}`);
    const edits = names.map((name) => edit('// more', `${name}();`));
    expect(filesOf(...edits)[0]?.added).toEqual(names.toReversed().slice(0, 24));
  });
});

describe('which file it is', () => {
  test('a short path and a longer one that ends with it are one file, known by the longer', () => {
    const found = filesOf(
      used('Read', { file_path: 'src/a.ts' }, '     1→x'),
      used('Read', { file_path: '/w/src/a.ts' }, '     1→x'),
    );
    expect(found.map(told)).toEqual(['/w/src/a.ts: 2 read, 0 changed, present']);
  });

  test('files of the same name in other folders are others', () => {
    const found = filesOf(
      used('Read', { file_path: '/w/one/index.ts' }, '     1→x'),
      used('Read', { file_path: '/w/two/index.ts' }, '     1→x'),
    );
    expect(found.map(({ path }) => path)).toEqual(['/w/one/index.ts', '/w/two/index.ts']);
  });

  test('a command in a folder names its files from there', () => {
    const [request] = [asks('<environment_context>\n  <cwd>/w</cwd>\n</environment_context>')];
    const items = [
      request,
      ...used('shell', { command: ['bash', '-lc', 'cd lib && cat x.rb'] }, 'x'),
    ];
    expect(ledgerOf(items).files.map(({ path }) => path)).toEqual(['/w/lib/x.rb']);
  });
});

test('where and when a file was touched', () => {
  const [file] = filesOf(
    used('Read', { file_path: '/w/src/client.ts' }, '     1→x'),
    used('Bash', { command: 'ls' }, 'src'),
    edit('a', 'b'),
    used('Read', { file_path: '/w/src/client.ts' }, '     1→x'),
  );
  // Items 1 and 2 are the first read, 6 is the result of the edit, which is the third call.
  expect(file).toMatchObject({ seq: 2, last_seq: 8, changed_at: 6, touched_at: 4 });
});

describe('files of Windows', () => {
  const ADDED = 'The file has been updated successfully.';
  test('are the same however Git Bash writes them', () => {
    const path = '/c/Users/a/Downloads/read.py';
    expect(
      linesOf(
        used('Write', { file_path: path, content: 'import openpyxl\n' }, ADDED),
        used('Bash', { command: 'cd /d/work && ls' }, 'x\nShell cwd was reset to d:\\work'),
        used('Bash', { command: `rm -f ${path}` }, ''),
      ),
    ).toEqual(['C:/Users/a/Downloads/read.py: 0 read, 2 changed, deleted; created']);
  });

  test('are looked for where the shell was put back', () => {
    expect(
      linesOf(
        used('Bash', { command: 'cd /tmp && ls' }, 'x\nShell cwd was reset to d:\\work'),
        used('Bash', { command: 'cat src/a.ts' }, 'export {};\n'),
      ),
    ).toEqual(['D:/work/src/a.ts: 1 read, 0 changed, present']);
  });
});

test('a file that is read in part is there, though it was deleted before', () => {
  const read = used(
    'Read',
    { file_path: '/w/data/list.json', offset: 40, limit: 2 },
    '    40→{ "a": 1 },\n    41→{ "a": 2 },',
  );
  expect(
    linesOf(
      write('/w/data/list.json', '[]\n'),
      used('Bash', { command: 'rm /w/data/list.json' }, ''),
      read,
    ),
  ).toEqual(['/w/data/list.json: 1 read, 2 changed, present; created']);
});

test('a move within a folder that is not known is one change of one file', () => {
  expect(linesOf(used('Bash', { command: 'mkdir -p paper && mv refs.bib paper/' }, ''))).toEqual([
    'paper/refs.bib: 0 read, 1 changed, present',
  ]);
});

describe('what descendants of pi read', () => {
  const read = (path: string, result: string) => used('read', { path }, result);
  test('is one file, whatever lines of it are named behind its path', () => {
    expect(
      linesOf(
        read(
          '/w/a.ts:2-3',
          '1bc|one\n2yy|two\n3nz|three\n\n[Showing lines 1-3 of 9. Use :4 to continue]',
        ),
        read('/w/a.ts:raw', 'one\n'),
        read('/w/a.ts', '1bt-9rk|{ .. }\n\n[9 lines across 1 elided region; read /w/a.ts:raw]'),
      ),
    ).toEqual(['/w/a.ts: 3 read, 0 changed, present']);
  });

  test('is no file when it is an address', () => {
    expect(
      linesOf(read('https://www.example.org/watch?v=1', 'URL: https://www.example.org')),
    ).toEqual([]);
  });
});

test('of a key that was written nothing is told but its file', () => {
  const key = [
    '-----BEGIN RSA PRIVATE KEY-----',
    'MIIEogIBAAKCAQEAq7Vb2xQ9yTnLrW0kZp4dHs8uJc',
    'lPz5rTgYwE1mXaQv3oKdB6nJh9sU2cRfL7tGiM0yNe',
    '-----END RSA PRIVATE KEY-----',
  ].join('\n');
  const { files, names } = ledgerOf(write('/w/private.pem', `${key}\n`));
  expect(files).toMatchObject([{ path: '/w/private.pem', is_created: true, added: [] }]);
  expect(names.map(({ name }) => name).join(' ')).not.toMatch(/MIIE|lPz5/);
});

test.each([
  [
    'exec_command failed for `/bin/bash -lc "cat > a.ts"`: CreateProcess { message: "Sandbox(Denied)" }',
  ],
  ['exec_command failed: CreateProcess { message: "Codex(Sandbox(Denied { exit_code: 128 }))" }'],
  ['execution error: Io(Custom { kind: Other, error: "windows sandbox: runner error" })'],
  [
    `exec_command failed for \`/bin/bash -lc "${'x'.repeat(9_000)}"\`: CreateProcess { message: "" }`,
  ],
])('what could not be started has changed nothing: %s', (answer) => {
  const cmd = "cat > a.ts <<'EOF'\nconst a = 1;\nEOF";
  expect(filesOf(used('exec_command', { cmd, workdir: '/w' }, answer))).toEqual([]);
});

test('a cell of a notebook is told by what was put in', () => {
  const notebook_path = '/w/sales.ipynb';
  const edit = (new_source: string, edit_mode: string) =>
    used(
      'NotebookEdit',
      { notebook_path, cell_id: 'c2', new_source, edit_mode },
      'Updated cell c2.',
    );
  const items = [
    ...edit('monthlyTrend = df.resample("M").revenue_eur.sum()', 'insert'),
    ...edit('dropped_column = 1', 'delete'),
  ];
  const [file] = ledgerOf(items).files;
  expect(file).toMatchObject({ path: notebook_path, edits: 2 });
  expect(file?.added).toEqual(expect.arrayContaining(['monthlyTrend', 'df.resample']));
  expect(file?.added).not.toContain('dropped_column');
  expect(file?.line).toMatch(/^monthlyTrend = /);
});

test.each([
  ['echo x > /w/a.txt && cat /w/a.txt && rm /w/a.txt', 'deleted'],
  ['cat /w/a.txt; rm /w/a.txt', 'deleted'],
  ['cat /w/a.txt && mv /w/a.txt /w/b.txt', 'moved'],
  ['mv /w/a.txt /w/b.txt; echo x > /w/a.txt; cat /w/a.txt', 'present'],
  ['rm /w/a.txt && echo x > /w/a.txt && cat /w/a.txt', 'present'],
  ['rm /w/b.txt; cat /w/a.txt', 'present'],
])(
  'what a script has shown of a file does not bring it back where it deletes it later: %s',
  (script, state) => {
    const { files } = ledgerOf(ran(script, 'x'));
    expect(files.find(({ path }) => path === '/w/a.txt')?.state).toBe(state);
  },
);

test.each([
  ['cat /w/out/a.txt; rm -rf /w/out', []],
  ['rm -rf /w/out; make; cat /w/out/a.txt', ['present']],
])('nor where its folder goes: %s', (script, states) => {
  const { files } = ledgerOf(ran(script, 'x'));
  const shown = files.filter(({ path }) => path === '/w/out/a.txt');
  expect(shown.map(({ state }) => state)).toEqual(states);
});

test('what is copied to the null device is no file', () => {
  const copied = ran('cp /w/a.ts /dev/null && cp /w/a.ts /w/b.ts', '');
  expect(ledgerOf(copied).files.map(({ path }) => path)).not.toContain('/dev/null');
  expect(ledgerOf(copied).files.map(({ path }) => path)).toContain('/w/b.ts');
});
