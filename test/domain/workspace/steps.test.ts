import { describe, expect, it, vi } from 'vitest';
import type { FileAction } from '../../../src/domain/workspace/action.ts';
import { Effort } from '../../../src/domain/workspace/effort.ts';
import { FileBook } from '../../../src/domain/workspace/file-book.ts';
import {
  appended,
  inserted,
  merged,
  overlap,
  replaced,
  wholeText,
} from '../../../src/domain/workspace/known-text.ts';
import { actionsOfPatch, hunksOf, patched } from '../../../src/domain/workspace/patch.ts';
import { folderNamedIn } from '../../../src/domain/workspace/paths.ts';
import { programOf } from '../../../src/domain/workspace/program-text.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { done } from '../../support/tool-calls.ts';

/** How many characters are looked at one by one while something runs. */
function charactersLookedAt(run: () => void): number {
  const own = String.prototype.charCodeAt;
  let looks = 0;
  Object.defineProperty(String.prototype, 'charCodeAt', {
    configurable: true,
    writable: true,
    value(this: string, at: number) {
      looks++;
      return own.call(this, at);
    },
  });
  try {
    run();
  } finally {
    Object.defineProperty(String.prototype, 'charCodeAt', {
      configurable: true,
      writable: true,
      value: own,
    });
  }
  return looks;
}

/** Says how much has been asked of it, and how often. */
class CountedEffort extends Effort {
  asked = 0;
  granted = 0;
  override spend(characters: number): boolean {
    this.asked++;
    const isGranted = super.spend(characters);
    if (isGranted) this.granted += characters;
    return isGranted;
  }
}

const FILES = 2_000;
const ITEMS = 60_000;
const by = 'make';
const write = (n: number): FileAction => ({
  kind: 'written',
  path: `/w/d${n % 50}/f${n}.ts`,
  text: 'x',
});
const many = (action: (n: number) => FileAction) =>
  Array.from({ length: ITEMS }, (_, n) => action(n));

describe('the steps that a fold takes, counted', () => {
  it.each<[string, FileAction[], left: 'as they were' | 'doubtful' | 'none for certain']>([
    [
      'deletions of what is not known',
      many((n) => ({ kind: 'deleted', path: `/x/${n}` })),
      'as they were',
    ],
    [
      'moves of what is not known',
      many((n) => ({ kind: 'moved', path: `/x/${n}`, to: `/y/${n}` })),
      'as they were',
    ],
    [
      'a folder that moves to and fro',
      many((n) => ({ kind: 'moved', path: n % 2 ? '/v' : '/w', to: n % 2 ? '/w' : '/v' })),
      'none for certain',
    ],
    [
      'patterns',
      many((n) => ({ kind: 'may_change', targets: [`/w/**/g${n}.ts`], by })),
      'doubtful',
    ],
    [
      'names of nothing',
      many((n) => ({ kind: 'may_change', targets: [`/w/g${n}.ts`], by })),
      'as they were',
    ],
    [
      'scripts that name nothing',
      many((n) => ({ kind: 'named_changed', script: `${'open(x) '.repeat(500)}${n}`, by })),
      'doubtful',
    ],
    ['commands that may change all', many(() => ({ kind: 'all_changed', by })), 'doubtful'],
  ])('%s', (_, actions, left) => {
    const effort = new CountedEffort();
    const book = new FileBook(effort);
    for (let n = 0; n < FILES; n++) book.apply(write(n), n);
    for (const [at, action] of actions.entries()) book.apply(action, at);
    expect(effort.asked).toBeLessThan(4 * (FILES + ITEMS) + 100 * FILES);
    expect(effort.granted).toBeLessThanOrEqual(60_000_000);
    const known = book.known();
    const doubtful = known.filter(({ changedBy }) => changedBy !== null).length;
    if (left === 'none for certain') expect(doubtful).toBe(known.length);
    else expect([known.length, doubtful]).toEqual([FILES, left === 'doubtful' ? FILES : 0]);
  });

  it('no more characters of files are kept than one process can have', () => {
    const book = new FileBook(new Effort());
    const text = 'x'.repeat(1_000_000);
    for (let n = 0; n < 100; n++) book.apply({ kind: 'written', path: `/w/${n}`, text }, n);
    for (let n = 0; n < 100; n++) book.apply({ kind: 'written', path: '/w/99', text }, n);
    const known = book.known();
    expect([known.length, known.at(-1)?.path]).toEqual([64, '/w/99']);
  });

  it('a large program that is run again and again is read once', () => {
    const book = new FileBook(new CountedEffort());
    book.apply({ kind: 'written', path: '/w/p.py', text: 'print(1)\n'.repeat(1_000_000) }, 0);
    book.apply({ kind: 'written', path: '/w/a.ts', text: 'x' }, 1);
    const slice = vi.spyOn(String.prototype, 'slice');
    for (const action of many(() => ({
      kind: 'ran',
      path: '/w/p.py',
      by,
      isPatch: false,
      args: [],
    }))) {
      book.apply(action, 2);
    }
    const cuts = slice.mock.calls.length;
    slice.mockRestore();
    expect(cuts).toBeLessThan(100);
    expect(book.known().map(({ changedBy }) => changedBy)).toEqual([null, null]);
  });

  it('thousands of blocks are not even added up when no effort is left', () => {
    let looked = 0;
    const blocks = Array.from({ length: ITEMS }, (_, n) => ({
      first: 2 * n + 1,
      get text() {
        looked++;
        return 'x';
      },
    }));
    const known = { blocks, total: null };
    const spent = () => new Effort(1_000);
    expect(replaced(known, { from: 'x', to: 'y', all: false }, spent())).toBeNull();
    expect(inserted(known, 1, 'y', spent())).toBeNull();
    expect(appended(known, 'y', spent())).toBeNull();
    expect(merged(known, wholeText('x'), spent())).toBeNull();
    expect(patched(known, hunksOf(['@@', '-x', '+y']), spent())).toBeNull();
    expect(overlap(known, wholeText('x'), spent())).toBe('open');
    expect(looked).toBeLessThan(20);
  });

  it('of a program in thousands of blocks, the first are read', () => {
    let looked = 0;
    const blocks = Array.from({ length: ITEMS }, (_, n) => ({
      first: 2 * n + 1,
      get text() {
        looked++;
        return 'x'.repeat(1_000);
      },
    }));
    expect(programOf(blocks).length).toBeLessThan(51_000);
    expect(looked).toBeLessThan(60);
  });

  it('lines that nearly stand everywhere are looked for in one pass', () => {
    const text = 'xaaaa\n'.repeat(200_000);
    const lines = ['aaaa', ...Array.from({ length: 500 }, () => 'xaaaa'), 'b'];
    const hunk = { context: [], before: lines, after: ['c'] };
    const known = wholeText(text);
    const looks = charactersLookedAt(() => {
      expect(patched(known, [hunk], new Effort())).toBeNull();
    });
    expect(looks).toBeGreaterThan(text.length);
    expect(looks).toBeLessThan(8 * text.length);
  });

  it('contexts of a patch cost what they take to be found', () => {
    const text = 'a line\n'.repeat(100_000);
    const context = Array.from({ length: 10_000 }, (_, n) => `not there ${n}`);
    const hunk = { context, before: ['a line'], after: ['b'] };
    const effort = new CountedEffort();
    expect(patched({ blocks: [{ first: 3, text }], total: null }, [hunk], effort)).toBeNull();
    expect(effort.granted).toBeLessThan(1_000_000);
  });
});

/** What is no algorithm for so much takes hours. */
const BLANKS = ' '.repeat(10_000_000);

describe('lines that end in blanks, ten million of them', () => {
  it('in a patch', () => {
    expect(actionsOfPatch(`*** Update File: a${BLANKS}b\n-x`)).toEqual([]);
    expect(actionsOfPatch(`*** Delete File: a.ts${BLANKS}`)).toEqual([
      { kind: 'deleted', path: 'a.ts' },
    ]);
    const moved = actionsOfPatch(`*** Update File: a.ts\n*** Move to: b.ts${BLANKS}\n-x`);
    expect(moved).toMatchObject([{ kind: 'patched', to: 'b.ts' }]);
  });

  it('after the name of a folder', () => {
    expect(folderNamedIn(`Working directory: /w${BLANKS}x`)).toBeNull();
    expect(folderNamedIn(`Working directory: /${`a${' '.repeat(40)}`.repeat(90)}x\n`)).toMatch(
      /x$/,
    );
    expect(folderNamedIn('Working directory: /w  \n')).toBe('/w');
  });
});

describe('scripts that are long', () => {
  it('say a thousand texts between files', () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `echo ${n}`);
    const output = Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join('');
    const start = cpuMs();
    const actions = done('Bash', { command: `${lines.join('\n')}\ncat a.ts` }, `${output}x\n`);
    expect(actions).toEqual([
      {
        kind: 'seen',
        path: '/w/a.ts',
        text: { blocks: [{ first: 1, text: 'x\n' }], total: 2 },
        isAmongOthers: true,
      },
    ]);
    expect(cpuMs() - start).toBeLessThan(3_000);
  });

  it('run one program through thousands of others', () => {
    expect(done('Bash', { command: `${'sudo '.repeat(200_000)}rm a.ts` }, '')).toEqual(
      expect.any(Array),
    );
  });
});
