import { describe, expect, it } from 'vitest';
import { parseScript } from '../../../../src/domain/workspace/shell/lex.ts';

/** Pipelines in one line each: words between blanks, `~` before those that the shell changes. */
function read(script: string): string[] | null {
  const pipelines = parseScript(script);
  if (pipelines === null) return null;
  return pipelines.map(({ commands, after }) => {
    const written = commands.map(({ words, redirects, heredoc }) =>
      [
        ...words.map(({ text, isPlain }) => (isPlain ? text : `~${text}`)),
        ...redirects.map(({ operator, target }) => `${operator}${target.text}`),
        ...(heredoc === null ? [] : [`<<${heredoc.isPlain ? '' : '~'}${heredoc.text}`]),
      ].join(' '),
    );
    return `${after === null ? '' : `${after} `}${written.join(' | ')}`;
  });
}

describe('how a shell script is read', () => {
  it.each<[string, string[] | null]>([
    ["sed -n '1,200p' src/a.ts", ['sed -n 1,200p src/a.ts']],
    ['cd x && cat a.ts', ['cd x', '&& cat a.ts']],
    ['cat a.ts || true; ls', ['cat a.ts', '|| true', '; ls']],
    ['nl -ba a.ts | sed -n 1,5p', ['nl -ba a.ts | sed -n 1,5p']],
    ['echo "a b"\\ c \'d "e"\'', ['echo a b c d "e"']],
    ['echo "$HOME" *.ts \'$x\'', ['echo ~$HOME ~*.ts $x']],
    ['cat a # the whole\nls', ['cat a', '; ls']],
    ['cat a.ts 2>/dev/null', ['cat a.ts']],
    ['cat a.ts 2>&1 | head', ['cat a.ts | head']],
    ['echo hi > out.txt', ['echo hi >out.txt']],
    ['echo hi >>out.txt', ['echo hi >>out.txt']],
    ['make &> build.log', ['make >build.log']],
    ['cat < a.ts', ['cat <a.ts']],
    ['cat <IN>out.txt', ['cat ~<IN>out.txt']],
    [
      'srun -p <GROUP> --time=10 /home/<USER>/run > log',
      ['srun -p ~<GROUP> --time=10 ~/home/<USER>/run >log'],
    ],
    ['sort <in >out', ['sort <in >out']],
    ["cat <<'EOF' > a.py\nx = $1\nEOF\nls", ['cat >a.py <<x = $1\n', '; ls']],
    ['cat > a.py <<EOF\nx = $1\nEOF', ['cat >a.py <<~x = $1\n']],
    ['cat <<-END\n\t\tx\n\tEND', ['cat <<x\n']],
    ['python3 <<< "print(1)"', ['python3 <<print(1)\n']],
    ['cat \\\n  a.ts', ['cat a.ts']],
    // More than a row of commands, or not closed: nothing certain can be said.
    ['for f in *; do cat $f; done', null],
    ['if true; then ls; fi', null],
    ['(cd x; cat a)', null],
    ['cat $(ls)', null],
    ["cat 'a.ts", null],
    ['cat <<EOF\nx', null],
    ['diff <(cat a) b', null],
  ])('%j', (script, pipelines) => expect(read(script)).toEqual(pipelines));
});
