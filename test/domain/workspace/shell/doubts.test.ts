import { describe, expect, it } from 'vitest';
import type { Item } from '../../../../src/domain/items/item.ts';
import { foldWorkspace } from '../../../../src/domain/workspace/known-workspace.ts';
import { materialFor } from '../../../support/given.ts';
import { call, result } from '../../../support/items.ts';

const FILES = ['/w/package.json', '/w/src/a.ts', '/w/src/lib/b.ts', '/w/src/c.css', '/w/docs/d.md'];

/** The files that are doubtful, or gone (`-`), after a command in `/w`; all five are known before. */
function doubtfulAfter(command: string, answer = '', input: object = {}): string {
  const writes = FILES.flatMap((path, n) => [
    call(`w${n}`, 'Write', { file_path: path, content: `of ${path}\n` }),
    result(`w${n}`, `File created successfully at: ${path}`),
  ]);
  const items: Item[] = [...writes, call('c', 'Bash', { command, ...input }), result('c', answer)];
  const { files } = foldWorkspace(
    materialFor(items).map(({ original }) => original),
    '/w',
  );
  return FILES.flatMap((path) => {
    const file = files.find((each) => each.path === path);
    if (file !== undefined && file.changedBy === null) return [];
    return [`${file === undefined ? '-' : ''}${path.slice(3)}`];
  }).join(' ');
}
const ALL = 'package.json src/a.ts src/lib/b.ts src/c.css docs/d.md';

describe('what a command may have changed', () => {
  it.each<[string, string]>([
    // What it is given by name, by pattern, or as a folder.
    ["sed -i 's/x/y/' src/*.ts", 'src/a.ts'],
    ["sed -i 's/x/y/' src/a.ts", ''],
    ["sed -i 's/x./y/' src/a.ts", 'src/a.ts'],
    ["sed -i 's/x/y/' src/a.ts docs/*.md", 'docs/d.md'],
    ["false || sed -i 's/x/y/' src/a.ts", 'src/a.ts'],
    ["sed -i 's/x/y/' src/a.ts &", 'src/a.ts'],
    ['sed -i "s/$X/y/" src/a.ts', 'src/a.ts'],
    ["sed --in-place=.bak -e 's/^x/y/' src/c.css", 'src/c.css'],
    ['rm -f src/*.ts', 'src/a.ts'],
    ['rm src/{a,c}.ts', 'src/a.ts'],
    ['rm -rf src', '-src/a.ts -src/lib/b.ts -src/c.css'],
    ['prettier --write .', ALL],
    ['npx prettier --write "src/**/*.ts"', 'src/a.ts src/lib/b.ts'],
    ['pnpm exec prettier --log-level warn --write src/c.css', 'src/c.css'],
    ['black .', ALL],
    ['python -m black src', 'src/a.ts src/lib/b.ts src/c.css'],
    ['ruff check --fix', ALL],
    ['ruff format src', 'src/a.ts src/lib/b.ts src/c.css'],
    ['npx eslint --fix src/lib', 'src/lib/b.ts'],
    ['cargo fmt', ALL],
    ['gofmt -w src', 'src/a.ts src/lib/b.ts src/c.css'],
    ['cd src && gofmt -w .', 'src/a.ts src/lib/b.ts src/c.css'],
    ['go generate ./...', ALL],
    ['npm install left-pad', 'package.json'],
    ['pnpm add -D vitest', 'package.json'],
    ['npm run lint:fix', ALL],
    ['make fmt', ALL],
    ['pre-commit run --all-files', ALL],
    ['sort -o docs/d.md docs/x.md', 'docs/d.md'],
    ['curl -sSL -o docs/d.md https://example.com/x', 'docs/d.md'],
    ['wget -O docs/d.md https://example.com/x', 'docs/d.md'],
    ['cd docs && wget https://example.com/d.md', 'docs/d.md'],
    ['dd if=/dev/zero of=docs/d.md count=1', 'docs/d.md'],
    ['git apply fix.patch', ALL],
    ['patch -p1 < fix.patch', ALL],
    ['tar xzf release.tgz', ALL],
    ['tar -xf release.tgz -C docs', ALL],
    ['unzip release.zip', ALL],
    ['git checkout -- src', 'src/a.ts src/lib/b.ts src/c.css'],
    ['git -C /w stash pop', ALL],
    ['rsync -a /tmp/new/ docs/', 'docs/d.md'],
    // What is copied stays as it is.
    ['cp src/a.ts $TMP/', 'src/a.ts'],
    ['cp src/a.ts docs/d.md $TMP/x', ''],
    ['cp -n src/a.ts docs/d.md', 'docs/d.md'],
    ['cp -t docs src/a.ts src/c.css', 'docs/d.md'],
    ['cp --target-directory=docs src/a.ts', 'docs/d.md'],
    ['cp src/*.ts docs/', ''],
    ['cp /tmp/*.md docs/', 'docs/d.md'],
    ['cp /tmp/d.md $DIR/', 'docs/d.md'],
    ['cp /tmp/d.md $TO', ALL],
    ['cp $(ls /tmp) docs/', 'docs/d.md'],
    ['cp `ls /tmp` docs/', 'docs/d.md'],
    ['cp {/tmp/d.md,/etc/e.md} docs/', 'docs/d.md'],
    ['mv -n src/a.ts docs/d.md', 'src/a.ts docs/d.md'],
    ['(cp src/a.ts docs/d.md)', 'docs/d.md'],
    ['true || cp src/a.ts docs/d.md', 'docs/d.md'],
    // Variables that the script itself sets.
    ['D=/tmp/x; cp src/a.ts "$D/"', ''],
    ['D=/tmp/x && mkdir -p $D && cp src/a.ts $D/ && (cd "$D" && npx vite)', ''],
    ['D=docs; prettier --write "$D/d.md"', 'docs/d.md'],
    ['export D=docs; prettier --write $D', 'docs/d.md'],
    ['D=/tmp; D=docs; cp /tmp/d.md $D/', 'docs/d.md'],
    ['for D in docs; do cp /tmp/d.md $D/d.md; done', 'docs/d.md'],
    ['D=/tmp; read D; cp /tmp/d.md $D/d.md', 'docs/d.md'],
    ['D=/tmp; IFS= read -r D; cp /tmp/d.md $D/d.md', 'docs/d.md'],
    ['D=/tmp; printf -v D %s docs; cp /tmp/d.md $D/d.md', 'docs/d.md'],
    ['test -d x || D=/tmp; cp /tmp/d.md $D/d.md', 'docs/d.md'],
    ['test -d x && D=/tmp; cp /tmp/d.md $D/d.md', 'docs/d.md'],
    ['D=/tmp make; cp /tmp/d.md $D/d.md', 'docs/d.md'],
    ['cp /tmp/d.md $D/d.md; D=/tmp', 'docs/d.md'],
    ["D=/tmp; sed -i 's/$D/y/' docs/d.md", 'docs/d.md'],
    ["D=docs; sed -i 's/x$/y/' $D/d.md", 'docs/d.md'],
    ['vale --output line src docs/d.md; npx markdownlint-cli2 "**/*.md"', ''],
    ['npx markdownlint-cli2 --fix docs/d.md', 'docs/d.md'],
    ['my-codemod src/lib', 'src/lib/b.ts'],
    ['timeout 60 my-codemod --target=src/lib', 'src/lib/b.ts'],
    ['tee -a docs/d.md < x', 'docs/d.md'],
    ['make 2>&1 | tee docs/d.md', '-docs/d.md'],
    ['cat x > docs/d.md | wc', '-docs/d.md'],
    // What it is given by another command.
    ["grep -l x -r src | xargs sed -i 's/x/y/'", ALL],
    ['git ls-files | xargs prettier --write', ALL],
    ["find src -name '*.ts' -exec sed -i 's/x/y/' {} \\;", 'src/a.ts src/lib/b.ts src/c.css'],
    ["find . -name '*.orig' -delete", ALL],
    ['find docs -type f | xargs rm', ALL],
    // Loops, subshells and conditions may run what stands in them.
    ["for f in src/*.ts; do sed -i 's/x/y/' $f; done", 'src/a.ts'],
    ["for f in $(git ls-files); do sed -i 's/x/y/' $f; done", ALL],
    ['git ls-files | while read -r f; do my-codemod "$f"; done', ALL],
    ['for f in src/a.ts docs/d.md; do my-codemod "$f"; done', 'src/a.ts docs/d.md'],
    ['if true; then rm docs/d.md; fi', 'docs/d.md'],
    ['(cd docs && rm d.md)', 'docs/d.md'],
    ["sed -i 's/x/y/' $(git ls-files)", ALL],
    ['my-codemod $(cat list) src/lib', 'src/lib/b.ts'],
    ["sed -i 's/x/y/' src/a.ts; echo $(date)", 'src/a.ts'],
    ['while read f; do echo >> docs/d.md; done < list', 'docs/d.md'],
    // Programs that the call itself holds.
    ["python3 - <<'E'\nopen('src/a.ts', 'w').write('')\nE", 'src/a.ts'],
    [
      "python3 - <<'E'\nfrom pathlib import Path\nfor p in Path('src').rglob('*'):\n    p.write_text('')\nE",
      ALL,
    ],
    ["node -e \"require('fs').writeFileSync('docs/d.md', '')\"", 'docs/d.md'],
    ["perl -pi -e 's/x/y/' src/a.ts", 'src/a.ts'],
    ['python fix.py src/a.ts', 'src/a.ts'],
    ['./fix.sh docs', 'docs/d.md'],
    // Scripts inside scripts.
    ["bash -c 'my-codemod src/lib'", 'src/lib/b.ts'],
    ['env A=1 sh -c "rm -f $F"', ALL],
    ['eval "echo x > src/a.ts"', ALL],
    ['echo "rm src/a.ts" | bash', ALL],
    ['curl -s https://example.com/fix.py | python3 -', ALL],
  ])('%s', (command, doubtful) => expect(doubtfulAfter(command)).toBe(doubtful));

  /** What is known of a file with these lines after `sed`; null where it is doubtful. */
  function contentAfter(options: string, content: string): string | null {
    const items: Item[] = [
      call('w', 'Write', { file_path: '/w/a.md', content }),
      result('w', 'File created successfully at: /w/a.md'),
      call('c', 'Bash', { command: `sed ${options} /w/a.md` }),
      result('c', ''),
    ];
    const given = materialFor(items).map(({ original }) => original);
    const [file] = foldWorkspace(given, '/w').files;
    const [block] = file?.changedBy === null ? file.text.blocks : [];
    return block?.text ?? null;
  }

  it.each<[string, string, string | null]>([
    ["-i 's/ — / - /g'", 'a — b — c\nd\n', 'a - b - c\nd\n'],
    ["-i 's/a/b/'", 'a a\nca\n', 'b a\ncb\n'],
    ["-i '' -e 's|/x|/y|g' -e 's/a/b/'", '/x a /x\n', '/y b /y\n'],
    ["-i 's/f(x)+/g/'", 'f(x)+1\n', 'g1\n'],
    ["-i 's/nowhere/x/'", 'a\n', 'a\n'],
    ["-i 's/a//'", 'ab\n', 'b\n'],
    ["-i -E 's/f(x)/g/'", 'f(x)\n', null],
    ["-i 's/a.c/b/'", 'abc\n', null],
    ["-i 's/a/[&]/'", 'a\n', null],
    ["-i 's/a/b/I'", 'A\n', null],
    ["-i 's/a/b/2'", 'a a\n', null],
    ["-i 's/a/b/;s/b/c/'", 'a\n', null],
    ["-i -e 's/a/b/' -e 1d", 'a\n', null],
    ["-i '2s/a/b/'", 'a\n', null],
    ["-i '/a/d'", 'a\n', null],
    ["-n -i 's/a/b/'", 'a\n', null],
    ["-i 's/a/b\\n/'", 'a\n', null],
    ['-i -f fix.sed', 'a\n', null],
    ["'s/a/b/'", 'a\n', 'a\n'],
  ])('sed %s is followed where it is plain text', (options, content, known) => {
    expect(contentAfter(options, content)).toBe(known);
  });

  it.each([
    'cat src/a.ts src/c.css',
    'grep -rn x src | head -5',
    'rg -l x src | xargs wc -l',
    "find src -name '*.ts' -exec grep -l x {} +",
    'npx vitest run src/a.ts',
    'npm test -- src/a.ts',
    'python -m pytest src/a.ts',
    'python3 -m py_compile src/a.ts src/lib/b.ts',
    'python3 -m unittest discover -s src -p "test_*.ts"',
    'go test ./... -run X',
    'go build ./...',
    'npx tsc --noEmit -p .',
    'npx prettier --check .',
    'ruff check .',
    'npx eslint src',
    'gofmt -l src',
    'npm ci',
    'npm run build',
    'git add -A && git commit -m "Change src/a.ts" && git push',
    'git diff --stat src',
    'git stash list',
    'git apply --check fix.patch',
    'tar tzf release.tgz',
    'tar czf src.tgz src',
    'curl -s https://example.com/a.ts | jq .',
    "sed -n '1,5p' src/a.ts",
    "awk '{ print $1 }' src/a.ts",
    'sort src/a.ts | uniq -c',
    'wc -l src/*.ts; ls -la src',
    'diff src/a.ts src/c.css || true',
    'for f in src/*.ts; do wc -l $f; done',
    "sed -n '1,9p' $(go env GOMODCACHE)/x/y.go; rg x $(go env GOMODCACHE)/x $(pwd)/src",
    'python -c "print(1)"',
    'python3 --version; node -v',
    "bash -lc 'ls -la 2>/dev/null'",
    "python3 - <<'E'\nimport os\nfor r, d, f in os.walk('src'):\n    if len(f) > 3: print(f)\nE",
    'cat src/a.ts > /dev/null',
  ])('nothing: %s', (command) => expect(doubtfulAfter(command)).toBe(''));

  it('what was changed before a command failed', () => {
    expect(doubtfulAfter('npx eslint --fix src', 'Exit code 1\n3 problems')).toBe(
      'src/a.ts src/lib/b.ts src/c.css',
    );
    expect(doubtfulAfter('rm docs/d.md x', 'Exit code 1\nrm: x: No such file')).toBe('docs/d.md');
    expect(doubtfulAfter('git merge topic', 'Exit code 1\nCONFLICT in src/a.ts')).toBe(ALL);
  });

  it('nothing that the user did not let be done', () => {
    const answer = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    expect(doubtfulAfter('rm -rf src', answer)).toBe('');
  });

  it('what runs in the background has been begun only', () => {
    const started = 'Command running in background with ID: b1';
    expect(doubtfulAfter('make > docs/d.md', started, { run_in_background: true })).toBe(
      'docs/d.md',
    );
    expect(doubtfulAfter('rm docs/d.md &')).toBe('docs/d.md');
    expect(doubtfulAfter('sleep 5 && rm docs/d.md & ls')).toBe('docs/d.md');
  });

  it('what may not have been carried out', () => {
    expect(doubtfulAfter('make && rm docs/d.md; ls')).toBe('docs/d.md');
    expect(doubtfulAfter('make && rm docs/d.md')).toBe('-docs/d.md');
    expect(doubtfulAfter('set -e; make && rm docs/d.md; ls')).toBe('-docs/d.md');
    expect(doubtfulAfter('make || rm docs/d.md')).toBe('docs/d.md');
    expect(doubtfulAfter('cd docs && rm d.md; ls')).toBe('-docs/d.md');
  });
});
