import { describe, expect, it } from 'vitest';
import { textCandidate } from '../../../bench/quality/candidate.ts';
import { editsIn } from '../../../bench/quality/edits.ts';
import { changesOf, measureChanges } from '../../../bench/quality/measures/changes.ts';
import { call, conversation } from './session.ts';

const edit = (path: string, old_string: string, new_string: string) =>
  call('Edit', { file_path: path, old_string, new_string }, 'ok');

describe('changes', () => {
  const changes = changesOf(
    editsIn(
      conversation(
        edit('/app/src/store.ts', 'openStore()', 'openStore(retryLimit)'),
        edit('/app/src/queue.ts', '', 'drainQueue()'),
        edit('/app/notes.txt', 'one', 'two'),
        call('Write', { file_path: '/tmp/try.ts', content: 'tryOut()' }, 'ok'),
        call('Bash', { command: 'rm /tmp/try.ts' }, ''),
        call(
          'Edit',
          { file_path: '/app/src/late.ts', new_string: 'neverDone()' },
          'no such file',
          true,
        ),
      ),
    ),
  );

  it('are those files that stay and in which an edit introduced a name', () => {
    expect(changes.map(({ file, introduced }) => [file, [...introduced]])).toEqual([
      ['store.ts', ['retryLimit']],
      ['queue.ts', ['drainQueue']],
    ]);
  });

  it.each([
    ['what was introduced stands in the line of the file', '- src/store.ts: retryLimit added', 1],
    ['or below it', '- **store.ts**\n  - takes `retryLimit`\n- other', 1],
    ['not in the entry of another file', '- store.ts: edited\n- queue.ts: retryLimit', 0],
    ['what was there before is no change', '- store.ts: openStore', 0],
    ['both', 'store.ts: retryLimit\nqueue.ts: drainQueue', 2],
    ['not in a list of files', 'a.ts, store.ts, queue.ts, b.ts, drainQueue, retryLimit', 0],
  ])('%s', (_, context, found) => {
    expect(measureChanges(changes, textCandidate(context))).toEqual({ found, of: 2 });
  });
});

describe('edits', () => {
  const patch =
    '*** Begin Patch\n*** Update File: a.go\n-old()\n+fresh()\n*** Add File: b.go\n+b()\n*** Delete File: c.go\n*** End Patch';
  it.each([
    [
      'a patch',
      { input: patch },
      'apply_patch',
      [
        ['a.go', 'changed', 'fresh()\n'],
        ['b.go', 'created', 'b()\n'],
        ['c.go', 'deleted', ''],
      ],
    ],
    [
      'a patch in a shell',
      { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` },
      'shell',
      [
        ['a.go', 'changed', 'fresh()\n'],
        ['b.go', 'created', 'b()\n'],
        ['c.go', 'deleted', ''],
      ],
    ],
    [
      'a here document',
      { command: "cat > x.py <<'EOF'\nrun()\nEOF" },
      'bash',
      [['x.py', 'created', 'run()']],
    ],
    [
      'one that names its file after it',
      { command: 'cat <<EOF > x.py\nrun()\nEOF\npython x.py' },
      'bash',
      [['x.py', 'created', 'run()']],
    ],
    [
      'a text of PowerShell',
      { command: "@'\nrun()\n'@ | Set-Content src\\x.py" },
      'shell_command',
      [['src/x.py', 'created', 'run()']],
    ],
    [
      'a patch in a script',
      `const p = ${JSON.stringify(patch)}; text(await tools.apply_patch(p));`,
      'exec',
      [
        ['a.go', 'changed', 'fresh()\n'],
        ['b.go', 'created', 'b()\n'],
        ['c.go', 'deleted', ''],
      ],
    ],
    [
      'sed in place',
      { command: "sed -i 's/one/two/g' conf.yml" },
      'bash',
      [['conf.yml', 'changed', 'two']],
    ],
    [
      'old and new text by other names',
      { path: 'p.ts', oldText: 'a', newText: 'b' },
      'edit',
      [['p.ts', 'changed', 'b']],
    ],
    [
      'several edits at once',
      {
        file_path: 'm.ts',
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'c', new_string: 'd' },
        ],
      },
      'MultiEdit',
      [
        ['m.ts', 'changed', 'b'],
        ['m.ts', 'changed', 'd'],
      ],
    ],
    ['reading is none', { file_path: 'm.ts' }, 'Read', []],
  ])('%s', (_, input, name, expected) => {
    const edits = editsIn(conversation(call(name, input, 'ok')));
    expect(edits.map(({ path, kind, added }) => [path, kind, added])).toEqual(expected);
  });
});
