import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  extractNames,
  isFileName,
  nameKey,
  namesStandingIn,
  readNames,
} from '../../src/domain/names.ts';
import { cpuMs } from '../support/cpu-time.ts';

describe('what a name is', () => {
  test.each([
    ['open src/domain/json.ts now', ['src/domain/json.ts']],
    ['see ./a/store.ts:12 and README.md.', ['./a/store.ts', 'README.md']],
    ['/etc/hosts and ~/.config/app', ['/etc/hosts', '~/.config/app']],
    ['C:\\code\\app.cs broke', ['C:/code/app.cs']],
    [
      'folder `src/session/decide` and @hono/node-server',
      ['src/session/decide', '@hono/node-server'],
    ],
    ['https://example.com/a/b.html', ['example.com/a/b.html']],
    ['call getUser, then HTTPServer and FooBar', ['getUser', 'HTTPServer', 'FooBar']],
    ['snake_case and MAX_SIZE', ['snake_case', 'MAX_SIZE']],
    ['pass --max-tokens, not -x', ['--max-tokens']],
    ['fixes #123 and ABC-42 in 3f2a9bc', ['#123', 'ABC-42', '3f2a9bc']],
    ['#1234567 has as many digits as a number has, #12345678 has more', ['#1234567']],
    ['use utf8, sha256', ['utf8', 'sha256']],
    ['strings.Contains(session.filesTouched)', ['strings.Contains', 'filesTouched']],
    ['run `git-sync` but a well-known word', ['git-sync']],
    ['"first\\nSecondThing"', ['SecondThing']],
    ['type lib\\types.ts, events\\referral-box.tsx', ['types.ts', 'referral-box.tsx']],
    [
      '"a;\\n\\treadFile.ts\\r\\nThirdThing\\tSecondThing"',
      ['readFile.ts', 'ThirdThing', 'SecondThing'],
    ],
    ['\u001b[1msrc/a.c\u001b[22m:3 \u001b[38;5;9mREADME.md\u001b[0m', ['src/a.c', 'README.md']],
    ['修改src/支付/模块22.ts文件,再看config.ts。', ['src/支付/模块22.ts', 'config.ts']],
    ['<b className="mt-4 px-2" id="x1y">getUser</b>', ['x1y', 'getUser']],
    ["<p class='\n  mt-4\n  w-1/2\n'>{fooBar}</p>", ['fooBar']],
    [
      '<div className={`flex mt-4`}><path d="M12 19l9 2-9-18z" strokeLinecap="x" />',
      ['strokeLinecap'],
    ],
    ['className={`mt-4 $isActive`} class="mt-4"', ['className', 'mt-4', 'isActive']],
    ['d="Make_file and b22" class Foo_bar', ['Make_file', 'b22', 'Foo_bar']],
    ['./отчёты/май.md и /srv/données/रिपोर्ट.csv', ['./отчёты/май.md', '/srv/données/रिपोर्ट.csv']],
  ])('%s', (text, names) => expect(extractNames(text)).toEqual(names));

  test.each([
    'The quick brown Fox jumps over the API and the URLs.',
    'input/output and/or read/write, e.g. this, i.e. that',
    'in 10ms, 3rd of 2026-01-23, version 1.2.3, at 50%',
    'a state-of-the-art follow-up -- really...done',
    '<b>bold</b> /compact',
    '读/写/执行权限, 输入/输出, 模块22.ts, отчёт.md',
    '\u001b[31m\u001b[1mbold\u001b[0m \u001b[2Kagain',
    `iVBORw0KGgo${'Ab1'.repeat(120)}`,
  ])('no names: %s', (text) => expect(extractNames(text)).toEqual([]));

  test.each([
    'schema.prisma',
    'Main.gd',
    'App.csproj',
    'Page.xaml',
    'build.log',
    '.env',
    'prod.env',
  ])('of a file: %s', (name) => expect(isFileName(name)).toBe(true));

  test.each(['console.log', 'window.console.log', 'Math.log', 'process.env', 'import.meta.env'])(
    'of no file: %s',
    (name) => {
      expect(isFileName(name)).toBe(false);
      expect(extractNames(`they call ${name} there`)).toEqual([name]);
    },
  );

  test('each name comes once', () => {
    expect(extractNames('fooBar a.ts fooBar a.ts')).toEqual(['fooBar', 'a.ts']);
  });
});

describe('however much was read before', () => {
  // More than are remembered, so that they take each other's places.
  const many = Array.from({ length: 40_000 }, (_, index) => `name_${index}`);

  test('names are the same the first time and the second', () => {
    expect(extractNames(many.join(' '))).toEqual(many);
    expect(extractNames(many.join(' '))).toEqual(many);
    expect(extractNames('name_1, `git-sync` and git-sync')).toEqual(['name_1', 'git-sync']);
  });

  test('a part of a text longer than what is kept of one has its own names', () => {
    const text = many.join(' ').repeat(2);
    const from = text.lastIndexOf(' name_39999') + 1;
    const names: string[] = [];
    readNames(text, (name) => names.push(name), { from, to: from + 'name_399'.length });
    expect(text.length).toBeGreaterThan(0x80000);
    expect(names).toEqual(['name_399']);
    expect(extractNames(text).length).toBe(many.length + 1);
  });
});

describe('where a name stands', () => {
  test.each([
    ['fooBar', 'x.fooBar()', true],
    ['fooBar', 'fooBarBaz', false],
    ['fooBar', 'my_fooBar', false],
    ['json.ts', 'src/domain/json.ts', true],
    ['src/domain/json.ts', 'edit json.ts', true],
    ['src/domain/json.ts', '/code/src/domain/json.ts', true],
    ['json.ts', 'json.tsx', false],
    ['json.ts', 'my-json.ts', false],
    ['json.ts', 'json.ts.bak', false],
    ['src/session/decide', 'we decide later', false],
    ['src/session/decide', '/code/src/session/decide/', true],
    ['--max-tokens', 'with --max-tokens=3', true],
    ['strings.Contains', 'calls strings.Contains(a)', true],
    ['git-sync', 'the git-sync tool', true],
    ['btn.Active', 'ul > .btn.Active {', true],
  ])('%s in "%s": %s', (name, text, stands) => expect(namesStandingIn(text)(name)).toBe(stands));

  test('every name of a text stands in it', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9_./@~#`" -]{1,30}$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const text = words.join('\n');
        const stands = namesStandingIn(text);
        expect(extractNames(text).filter((name) => !stands(name))).toEqual([]);
      }),
    );
  });

  test('spellings of one file have one key', () => {
    expect(['a/b/c.ts', './c.ts', '/x/c.ts', 'c.ts'].map(nameKey)).toEqual(Array(4).fill('c.ts'));
    expect(nameKey('./src/session')).toBe('src/session');
  });
});

describe('1 MB of any text takes well under a second', () => {
  test.each([
    'a',
    ' ',
    '.',
    '/a',
    '-',
    '-a',
    'a-b.c/',
    'aB1 ',
    '_',
    '@a/',
    '#1',
    `${'.'.repeat(250)}a `,
    `${'a/'.repeat(120)}b `,
    '请修改',
    'class="',
    "className='a b ",
    'd="M1 ',
    'class="a b" ',
  ])('of %j', (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const started = cpuMs();
    extractNames(text);
    namesStandingIn(text);
    expect(cpuMs() - started).toBeLessThan(3_000);
  });
});
