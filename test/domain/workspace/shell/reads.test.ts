import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/domain/json.ts';
import type { FileAction } from '../../../../src/domain/workspace/action.ts';
import { codex, done } from '../../../support/tool-calls.ts';

/** `path 1-2/3: text` for lines 1 to 2 of 3; `?` where the end, or the text, is not known. */
function shown(actions: readonly FileAction[]): string[] {
  return actions.flatMap((action) => {
    if (action.kind !== 'seen') return [];
    const { path, text } = action;
    if (text === null) return [`${path} ?`];
    return text.blocks.map(({ first, text: lines }) => {
      const last = first + lines.split('\n').length - 1;
      return `${path} ${first}-${last}/${text.total ?? '?'}: ${JSON.stringify(lines)}`;
    });
  });
}
const codexReads = (cmd: string, output: string, code = 0) =>
  shown(done('exec_command', { cmd }, codex(output, code)));

describe('which lines of which file an output shows', () => {
  it.each<[string, string, string[]]>([
    ['cat a.ts', 'x\ny\n', ['/w/a.ts 1-3/3: "x\\ny\\n"']],
    ['/bin/cat /etc/hosts', 'x\n', ['/etc/hosts 1-2/2: "x\\n"']],
    ["sed -n '1,2p' a.ts", 'x\ny\n', ['/w/a.ts 1-2/?: "x\\ny"']],
    ["sed -n '5,6p' a.ts", 'x\ny\n', ['/w/a.ts 5-6/?: "x\\ny"']],
    ["sed -n '1,200p' a.ts", 'x\ny\n', ['/w/a.ts 1-3/3: "x\\ny\\n"']],
    ["sed -n '7p' a.ts", 'x\n', ['/w/a.ts 7-7/?: "x"']],
    ["sed -n '7,$p' a.ts", 'x\ny\n', ['/w/a.ts 7-9/9: "x\\ny\\n"']],
    ['head -n 2 a.ts', 'x\ny\n', ['/w/a.ts 1-2/?: "x\\ny"']],
    ['head -2 a.ts', 'x\ny\n', ['/w/a.ts 1-2/?: "x\\ny"']],
    ['head -n 9 a.ts', 'x\ny\n', ['/w/a.ts 1-3/3: "x\\ny\\n"']],
    // So many of the last lines: which they are is known only when there are fewer.
    ['tail -n 2 a.ts', 'x\ny\n', ['/w/a.ts ?']],
    ['tail -n 9 a.ts', 'x\ny\n', ['/w/a.ts 1-3/3: "x\\ny\\n"']],
    ['tail -n +4 a.ts', 'x\ny\n', ['/w/a.ts 4-6/6: "x\\ny\\n"']],
    ['nl -ba a.ts', '     1\tx\n     2\ty\n', ['/w/a.ts 1-3/3: "x\\ny\\n"']],
    ["nl -ba a.ts | sed -n '3,4p'", '     3\tx\n     4\ty\n', ['/w/a.ts 3-4/?: "x\\ny"']],
    ['cat -n a.ts', '     1\tx\n     2\ty\n', ['/w/a.ts 1-3/3: "x\\ny\\n"']],
    ['cat a.ts | head -n 2', 'x\ny\n', ['/w/a.ts 1-2/?: "x\\ny"']],
    ['cat < a.ts', 'x\n', ['/w/a.ts 1-2/2: "x\\n"']],
    ["awk 'NR>=3 && NR<=4' a.ts", 'x\ny\n', ['/w/a.ts 3-4/?: "x\\ny"']],
    ['cd lib && cat a.ts', 'x\n', ['/w/lib/a.ts 1-2/2: "x\\n"']],
    ['cat "my file.ts"', 'x\n', ['/w/my file.ts 1-2/2: "x\\n"']],
    ['cat a.ts 2>/dev/null || true', 'x\n', ['/w/a.ts 1-2/2: "x\\n"']],
    [
      "sed -n '1,2p' a.ts && sed -n '8,9p' b.ts",
      'x\ny\nu\nv\n',
      ['/w/a.ts 1-2/?: "x\\ny"', '/w/b.ts 8-9/?: "u\\nv"'],
    ],
    [
      "cat a.ts && echo '---' && cat b.ts",
      'x\n---\nu\n',
      ['/w/a.ts 1-2/2: "x\\n"', '/w/b.ts 1-2/2: "u\\n"'],
    ],
    // Where one ends and the other begins is not known.
    ['cat a.ts b.ts', 'x\nu\n', ['/w/a.ts ?', '/w/b.ts ?']],
    ["sed -n '1,9p' a.ts; sed -n '1,9p' b.ts", 'x\nu\n', ['/w/a.ts ?', '/w/b.ts ?']],
    // Perhaps the first one is not there: these may be the lines of the second.
    ['nl -ba a.ts; nl -ba b.ts', '     1\tx\n', ['/w/a.ts ?', '/w/b.ts ?']],
    // What is left of it are not its lines.
    ['cat a.ts | grep x', 'x\n', ['/w/a.ts ?']],
    ['cat a.ts | sort', 'x\n', ['/w/a.ts ?']],
    ['cat *.ts', 'x\n', []],
    ['cat $FILE', 'x\n', []],
    ['grep -n x a.ts', '3:x\n', []],
    ["sed 's/a/b/' a.ts", 'x\n', []],
    ['ls', 'a.ts\n', []],
  ])('%s', (cmd, output, lines) => expect(codexReads(cmd, output)).toEqual(lines));

  it('nothing of a command that failed', () => {
    expect(codexReads('cat a.ts b.ts', 'x\ncat: b.ts: No such file or directory\n', 1)).toEqual([]);
  });

  it('the start only of an output that was cut', () => {
    const output = 'Total output lines: 900\n\nx\ny…1200 tokens truncated…z\n';
    expect(codexReads('cat a.ts', output)).toEqual(['/w/a.ts 1-1/?: "x"']);
  });

  it.each<[string, string, Json, string]>([
    [
      'old Codex',
      'shell',
      { command: ['bash', '-lc', 'cat a.ts'], workdir: '/w' },
      JSON.stringify({ output: 'x\n', metadata: { exit_code: 0, duration_seconds: 0.1 } }),
    ],
    [
      'Codex between',
      'shell_command',
      { command: 'cat a.ts', workdir: '/w' },
      'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx\n',
    ],
    [
      'mini-swe-agent',
      'bash',
      { command: 'cat a.ts' },
      '<returncode>0</returncode>\n<output>\nx\n</output>',
    ],
    ['OpenAI shell', 'shell', { commands: ['cd /w', 'cat a.ts'] }, 'x\n'],
  ])('as %s prints it', (_, name, input, answer) => {
    expect(shown(done(name, input, answer))).toEqual(['/w/a.ts 1-2/2: "x\\n"']);
  });
});

describe('what a script does to files', () => {
  it.each<[string, FileAction[]]>([
    ["cat > a.py <<'EOF'\nx\nEOF", [{ kind: 'written', path: '/w/a.py', text: 'x\n' }]],
    ['echo hi > a.txt', [{ kind: 'written', path: '/w/a.txt', text: 'hi\n' }]],
    ['echo hi >> a.txt', [{ kind: 'appended', path: '/w/a.txt', text: 'hi\n' }]],
    ['make > a.log', [{ kind: 'rewritten', path: '/w/a.log' }]],
    ['cat a.ts > b.ts', [{ kind: 'copied', path: '/w/a.ts', to: '/w/b.ts' }]],
    ["tee a.py <<'EOF'\nx\nEOF", [{ kind: 'written', path: '/w/a.py', text: 'x\n' }]],
    [
      'rm -f a.ts b.ts',
      [
        { kind: 'deleted', path: '/w/a.ts' },
        { kind: 'deleted', path: '/w/b.ts' },
      ],
    ],
    ['mv a.ts b.ts', [{ kind: 'moved', path: '/w/a.ts', to: '/w/b.ts' }]],
    ['mv a.ts lib/', [{ kind: 'moved', path: '/w/a.ts', to: '/w/lib/a.ts' }]],
    ['git mv a.ts b.ts', [{ kind: 'moved', path: '/w/a.ts', to: '/w/b.ts' }]],
    [
      'git mv a.ts b.ts && git mv c.ts d.ts; ls',
      [
        { kind: 'moved', path: '/w/a.ts', to: '/w/b.ts' },
        { kind: 'moved', path: '/w/c.ts', to: '/w/d.ts' },
      ],
    ],
    ['T=lib/a.ts; cp a.ts "$T"', [{ kind: 'copied', path: '/w/a.ts', to: '/w/lib/a.ts' }]],
    ['T=x.ts\ncat > $T <<E\nhi\nE', [{ kind: 'written', path: '/w/x.ts', text: 'hi\n' }]],
    ['cp a.ts b.ts', [{ kind: 'copied', path: '/w/a.ts', to: '/w/b.ts' }]],
    [
      "sed -i 's/a/b/' a.ts",
      [
        {
          kind: 'changed',
          path: '/w/a.ts',
          by: 'sed -i s/a/b/ a.ts',
          isCertain: true,
          substitutions: [{ from: 'a', to: 'b', isEach: false }],
        },
      ],
    ],
    [
      "sed -i '' -e 's/a/b/' a.ts",
      [
        {
          kind: 'changed',
          path: '/w/a.ts',
          by: 'sed -i -e s/a/b/ a.ts',
          isCertain: true,
          substitutions: [{ from: 'a', to: 'b', isEach: false }],
        },
      ],
    ],
    [
      'git reset --hard',
      [
        {
          kind: 'all_changed',
          by: 'git reset --hard',
          git: { does: 'reset', isCertain: true },
        },
      ],
    ],
    [
      'git checkout -- a.ts',
      [
        {
          kind: 'may_change',
          targets: ['/w/a.ts'],
          by: 'git checkout -- a.ts',
          git: { does: 'restore', isCertain: true },
        },
      ],
    ],
    ['git checkout main', [{ kind: 'all_changed', by: 'git checkout main' }]],
    ['git checkout -b topic', []],
    ['git status', []],
    ['cat a.ts > /dev/null', []],
    ['npm test', []],
  ])('%s', (command, actions) => {
    expect(done('Bash', { command }, '')).toEqual(actions);
  });

  it('nothing, of a patch that was refused', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch';
    const answer = codex('apply_patch verification failed: no such lines', 1);
    expect(done('shell', { command: ['apply_patch', patch] }, answer)).toEqual([]);
  });

  it('of one that failed, the first write was made and the rest perhaps', () => {
    const command = "cat > a.py <<'EOF'\nx\nEOF\nmv b.py c.py && python a.py";
    expect(done('Bash', { command }, 'Exit code 1\nTraceback')).not.toEqual([]);
    expect(done('exec_command', { cmd: command }, codex('Traceback', 1))).toEqual([
      { kind: 'written', path: '/w/a.py', text: 'x\n' },
      {
        kind: 'may_change',
        targets: ['/w/b.py', '/w/c.py'],
        by: 'a command that may not have been carried out',
      },
      { kind: 'ran', path: '/w/a.py', by: 'python a.py', isPatch: false, args: [] },
    ]);
  });
});
