import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { textWhenWhole } from '../../../src/domain/workspace/known-text.ts';
import { foldWorkspace } from '../../../src/domain/workspace/known-workspace.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { materialFor } from '../../support/given.ts';
import { call, result } from '../../support/items.ts';

const fold = (items: Item[]) => foldWorkspace(materialFor(items).map(({ original }) => original));
const edit = (n: number, from: string, to: string): Item[] => [
  call(`e${n}`, 'Edit', { file_path: '/a', old_string: from, new_string: to }),
  result(`e${n}`, 'The file /a has been updated successfully.'),
];
const write = (text: string): Item[] => [
  call('w', 'Write', { file_path: '/a', content: text }),
  result('w', 'File created successfully at: /a'),
];
function milliseconds(run: () => void): number {
  const start = cpuMs();
  run();
  return cpuMs() - start;
}

/** Far above what is measured, far below what an algorithm that is not linear takes. */
const BOUND_MS = 10_000;

describe('foldWorkspace on hostile input', () => {
  it('follows thousands of edits of one small file', () => {
    const edits = Array.from({ length: 5_000 }, (_, n) => edit(n, `n = ${n};`, `n = ${n + 1};`));
    const items = [...write('let n = 0;\n'), ...edits.flat()];
    const { files } = fold(items);
    expect(files.map(({ text }) => textWhenWhole(text))).toEqual(['let n = 5000;\n']);
  });

  it('gives up on edits of a huge file in bounded time, and says so', () => {
    const huge = 'a line of some text\n'.repeat(500_000);
    const edits = Array.from({ length: 2_000 }, (_, n) =>
      edit(n, `not there ${n} `.repeat(20), ''),
    );
    const items = [...write(huge), ...edits.flat()];
    let changedBy: string | null | undefined;
    const time = milliseconds(() => {
      changedBy = fold(items).files[0]?.changedBy;
    });
    expect(changedBy).toContain('could not be followed');
    expect(time).toBeLessThan(BOUND_MS);
  });

  it('searches for a text that nearly matches everywhere in linear time', () => {
    const text = 'a'.repeat(2_000_000);
    const items = [...write(text), ...edit(1, `${'a'.repeat(100_000)}b`, '')];
    expect(milliseconds(() => fold(items))).toBeLessThan(BOUND_MS);
  });

  it('reads thousands of single lines of one large file in bounded time', () => {
    const reads = Array.from({ length: 3_000 }, (_, n) => [
      call(`r${n}`, 'Read', { file_path: '/a', offset: n + 1, limit: 1 }),
      result(`r${n}`, `${String(n + 1).padStart(6)}→a line of some text`),
    ]).flat();
    const items = [...write('a line of some text\n'.repeat(50_000)), ...reads];
    expect(milliseconds(() => fold(items))).toBeLessThan(BOUND_MS);
  });

  it('takes scripts of any kind', () => {
    const scripts = [
      '<<'.repeat(50_000),
      "'".repeat(99_999),
      '|&;'.repeat(50_000),
      `cat ${'$('.repeat(50_000)}`,
      `${'> '.repeat(50_000)}`,
      'sed -n 1,2p '.repeat(20_000),
    ];
    const items = scripts.flatMap((command, n) => [
      call(`s${n}`, 'Bash', { command }),
      result(`s${n}`, 'x\n'.repeat(10_000)),
    ]);
    expect(milliseconds(() => fold(items))).toBeLessThan(BOUND_MS);
  });
});

const shell = (command: string, answer = 'ok'): Item[] => [
  call('s', 'Bash', { command }),
  result('s', answer),
];
const reads = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => [
    call(`r${n}`, 'Read', { file_path: `/w/${n}/x${n}.ts` }),
    result(`r${n}`, '     1→hi'),
  ]).flat();
const filled = (unit: string, length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
/** The time of the processor that six folds take, microseconds: of one it is not counted exactly. */
function timeOfSix(items: Item[]): number {
  const originals = materialFor(items).map(({ original }) => original);
  const start = process.cpuUsage();
  for (let run = 0; run < 6; run++) foldWorkspace(originals);
  return process.cpuUsage(start).user;
}

describe('foldWorkspace takes no more than in proportion for', () => {
  it.each<[string, (length: number) => Item[]]>([
    ['programs that run one another', (n) => shell(filled('find . -exec ', n))],
    ['folders inside folders', (n) => shell(`cd /a\n${filled('cd a\n', n)}`)],
    [
      'a long folder, and files in it',
      (n) => shell(`cd /${filled('a/', n / 2)}\n${filled('cat b\n', n / 2)}`),
    ],
    [
      'a loop through fifty words, each used again and again',
      (n) => shell(`for x in ${'a '.repeat(50)}; do foo ${filled('$x ', n)}; done`),
    ],
    [
      'patterns, where many files are known',
      (n) => [...reads(300), ...shell(filled('foo a*;', n))],
    ],
    ['names of nothing, in one command', (n) => shell(`rm ${filled('a ', n)}`, '')],
    [
      'starts of an output that do not end',
      (n) => shell('ls', `<returncode>0</returncode>\n${filled('<output_head>', n)}`),
    ],
    [
      'words that could name the file of a plan',
      (n) => [call('s', 'ExitPlanMode', { plan: 'x' }), result('s', filled('saved to: /', n))],
    ],
  ])('%s', (_, items) => {
    const [few, many] = [items(12_500), items(100_000)];
    // A product of two parts of the input takes 64 times as long.
    expect(timeOfSix(many)).toBeLessThan(32 * timeOfSix(few) + 120_000);
  });
});

describe('what takes too long to be read is doubtful, and no longer than it was', () => {
  const KNOWN = [...write('x\n')];
  const deep = `/${'a/'.repeat(3_000)}`;
  it.each<[string, string]>([
    ['a script with more words than any', `foo ${'b '.repeat(60_000)}`],
    [
      'a loop that puts in more words than any',
      `for x in ${'b '.repeat(50)}; do foo ${'$x '.repeat(300)}; done`,
    ],
    ['programs that run one another', `find / ${'-exec find / '.repeat(200)}`],
    ['a script of megabytes', `cat b\n${'# a note\n'.repeat(1_000_000)}`],
  ])('%s', (_, command) => {
    const [file] = fold([...KNOWN, ...shell(command)]).files;
    expect(file?.changedBy?.length).toBeLessThan(100);
  });

  it.each([
    ['a read', `cat ${deep}b`, 'hi\n'],
    ['a write', `echo hi > ${deep}b`, ''],
    ['a deletion', `rm ${deep}b`, ''],
    ['a move', `mv c ${deep}b`, ''],
    ['a read in a folder', `cd ${deep}; cd ${deep}; cat /b`, ''],
  ])('%s, with a path of more than 4,096 characters, tells of no file', (_, command, answer) => {
    const { files } = fold([...KNOWN, ...shell(command, answer)]);
    expect(files.map(({ path, changedBy }) => [path, changedBy])).toEqual([['/a', null]]);
  });

  it('a file that is moved to such a path is doubtful', () => {
    const [file] = fold([...KNOWN, ...shell(`mv /a ${deep}b`, '')]).files;
    expect(file).toMatchObject({ path: '/a', changedBy: expect.any(String) });
  });

  it('a text that `printf` makes of a long format and many words is not known', () => {
    const made = (format: string, words: number) =>
      fold(shell(`printf '${format}%s' ${'a '.repeat(words)}> /p`, '')).files[0];
    expect(made('X'.repeat(1_000), 1_000)).toBeUndefined();
    expect(textWhenWhole(made('+ ', 3)?.text ?? { blocks: [], total: 0 })).toBe('+ a+ a+ a');
  });

  it('an edit of every place that makes a file too large is not followed', () => {
    const all = (n: number, from: string, to: string) => [
      call(`e${n}`, 'Edit', {
        file_path: '/a',
        old_string: from,
        new_string: to,
        replace_all: true,
      }),
      result(`e${n}`, 'The file /a has been updated. All occurrences were replaced.'),
    ];
    const grown = [0, 1, 2, 3].flatMap((n) => all(n, 'y', 'yyyyyyyyyy\n'.repeat(10)));
    const [file] = fold([...write('y\n'.repeat(1_000)), ...grown]).files;
    expect(file?.changedBy).toContain('could not be followed');
    const [small] = fold([...write('y\ny\n'), ...all(0, 'y', 'zz')]).files;
    expect(textWhenWhole(small?.text ?? { blocks: [], total: 0 })).toBe('zz\nzz\n');
  });
});
