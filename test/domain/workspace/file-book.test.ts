import { describe, expect, it } from 'vitest';
import type { FileAction } from '../../../src/domain/workspace/action.ts';
import { Effort } from '../../../src/domain/workspace/effort.ts';
import { FileBook } from '../../../src/domain/workspace/file-book.ts';
import { wholeText } from '../../../src/domain/workspace/known-text.ts';

/** What is known after these actions: `path: text`, with what has perhaps changed it. */
function after(...actions: FileAction[]): string[] {
  const book = new FileBook(new Effort());
  for (const [at, action] of actions.entries()) book.apply(action, at);
  return book.known().map(({ path, text, changedBy }) => {
    const lines = text.blocks.map((block) => `${block.first}:${block.text}`).join(' … ');
    return `${path} ${lines}${changedBy === null ? '' : ` (${changedBy})`}`;
  });
}
const write = (path: string, text: string): FileAction => ({ kind: 'written', path, text });
const edit = (path: string, from: string, to: string): FileAction => ({
  kind: 'replaced',
  path,
  replacements: [{ from, to, all: false }],
});
const patch = (path: string, ...hunks: [string[], string[]][]): FileAction => ({
  kind: 'patched',
  path,
  hunks: hunks.map(([before, after]) => ({ context: [], before, after })),
  to: null,
});
const part = (path: string, first: number, text: string): FileAction => ({
  kind: 'seen',
  path,
  text: { blocks: [{ first, text }], total: null },
});
const seen = (path: string, text: string): FileAction => ({
  kind: 'seen',
  path,
  text: wholeText(text),
});
const by = 'make';

describe('what is known of files after what calls have done', () => {
  it.each<[string, FileAction[], string[]]>([
    ['a write and an edit', [write('/a', 'x'), edit('/a', 'x', 'y')], ['/a 1:y']],
    [
      'an edit that cannot be followed',
      [write('/a', 'x'), edit('/a', 'z', 'y')],
      ['/a 1:x (an edit that could not be followed)'],
    ],
    [
      'a patch that can be followed in part: what it has taken out is not there any more',
      [
        part('/a', 1, 'x\ny'),
        part('/a', 9, 'p\nold\nq'),
        patch('/a', [['hidden'], ['shown']], [['old'], ['new']]),
      ],
      ['/a 1:x\ny … 9:p … 11:q (a patch that could not be followed)'],
    ],
    ['an edit of what is not known', [edit('/a', 'x', 'y')], []],
    [
      'a file that nobody has seen, moved onto a known one',
      [write('/a', 'x'), { kind: 'moved', path: '/a.tmp', to: '/a' }],
      [],
    ],
    ['parts one after the other', [part('/a', 1, 'x'), part('/a', 5, 'y')], ['/a 1:x … 5:y']],
    ['a part that disagrees', [part('/a', 1, 'x\ny'), part('/a', 2, 'z')], ['/a 2:z']],
    [
      'a part of what is doubtful',
      [write('/a', 'x\ny\n'), { kind: 'all_changed', by }, part('/a', 2, 'y')],
      ['/a 1:x\ny\n (make; read or edited in part after that)'],
    ],
    [
      'an edit of what is doubtful',
      [write('/a', 'x\ny\n'), { kind: 'all_changed', by }, edit('/a', 'y', 'z')],
      ['/a 1:x\nz\n (make; read or edited in part after that)'],
    ],
    [
      'all parts of what is doubtful, with an edit between them',
      [
        part('/a', 1, 'x\ny\nz'),
        { kind: 'all_changed', by },
        part('/a', 1, 'x\ny'),
        edit('/a', 'y', 'v\nw'),
        part('/a', 4, 'z'),
      ],
      ['/a 1:x\nv\nw\nz'],
    ],
    [
      'lines of what is doubtful, shown after a change outside',
      [
        part('/a', 1, 'x\ny'),
        { kind: 'all_changed', by },
        { kind: 'changed_outside', path: '/a', lines: [{ first: 1, text: 'x\ny' }], by: 'a user' },
      ],
      ['/a 1:x\ny'],
    ],
    [
      'a doubt between the parts',
      [
        write('/a', 'x\ny'),
        { kind: 'all_changed', by },
        part('/a', 1, 'x'),
        { kind: 'all_changed', by: 'npm run fix' },
        part('/a', 2, 'y'),
      ],
      ['/a 1:x\ny (npm run fix; read or edited in part after that)'],
    ],
    ['a part after a whole', [write('/a', 'x\ny\n'), part('/a', 2, 'y')], ['/a 1:x\ny\n']],
    [
      'a whole read anew',
      [
        write('/a', 'x'),
        { kind: 'changed', path: '/a', by, isCertain: true },
        { kind: 'seen', path: '/a', text: wholeText('y') },
      ],
      ['/a 1:y'],
    ],
    [
      'a read that shows nothing',
      [write('/a', 'x'), { kind: 'seen', path: '/a', text: null }],
      ['/a 1:x'],
    ],
    [
      'a perhaps',
      [write('/a', 'x'), { kind: 'changed', path: '/a', by, isCertain: false }],
      ['/a 1:x (make)'],
    ],
    ['a deletion', [write('/a', 'x'), { kind: 'deleted', path: '/a' }], []],
    [
      'a deleted folder',
      [write('/d/a', 'x'), write('/da', 'y'), { kind: 'deleted', path: '/d' }],
      ['/da 1:y'],
    ],
    ['a move', [write('/a', 'x'), { kind: 'moved', path: '/a', to: '/b' }], ['/b 1:x']],
    ['a moved folder', [write('/d/a', 'x'), { kind: 'moved', path: '/d', to: '/e' }], ['/e/a 1:x']],
    ['a copy', [write('/a', 'x'), { kind: 'copied', path: '/a', to: '/b' }], ['/a 1:x', '/b 1:x']],
    [
      'a copy of what is not known',
      [write('/b', 'x'), { kind: 'copied', path: '/a', to: '/b' }],
      [],
    ],
    [
      'written anew with what is not known',
      [write('/a', 'x'), { kind: 'rewritten', path: '/a' }],
      [],
    ],
    [
      'an edit taken back',
      [write('/a', 'x'), edit('/a', 'x', 'y'), { kind: 'undone', path: '/a' }],
      ['/a 1:x'],
    ],
    [
      'a script that names it',
      [
        write('/a.ts', 'x'),
        write('/b.ts', 'y'),
        { kind: 'named_changed', script: 'open("a.ts", "w")', by },
      ],
      ['/a.ts 1:x (make)', '/b.ts 1:y'],
    ],
    [
      'anything',
      [write('/a', 'x'), write('/b', 'y'), { kind: 'all_changed', by }],
      ['/a 1:x (make)', '/b 1:y (make)'],
    ],
    [
      'a program that writes',
      [
        write('/p.py', "open('a.ts','w')"),
        write('/a.ts', 'x'),
        { kind: 'ran', path: '/p.py', by, isPatch: false, args: [] },
      ],
      ["/p.py 1:open('a.ts','w')", '/a.ts 1:x (make)'],
    ],
    [
      'a program that does not',
      [
        write('/p.py', "print('a.ts')"),
        write('/a.ts', 'x'),
        { kind: 'ran', path: '/p.py', by, isPatch: false, args: [] },
      ],
      ["/p.py 1:print('a.ts')", '/a.ts 1:x'],
    ],
    [
      'a patch whose content is not known',
      [write('/a', 'x'), { kind: 'ran', path: '/p.diff', by, isPatch: true, args: [] }],
      ['/a 1:x (make)'],
    ],
    [
      'a patch that moves',
      [
        write('/a', 'x\n'),
        {
          kind: 'patched',
          path: '/a',
          hunks: [{ context: [], before: ['x'], after: ['y'] }],
          to: '/b',
        },
      ],
      ['/b 1:y\n'],
    ],
    [
      'a path without its folder',
      [write('/w/src/a.ts', 'x'), edit('src/a.ts', 'x', 'y')],
      ['/w/src/a.ts 1:y'],
    ],
    [
      'a path that two files end with',
      [write('/u/a.ts', 'x'), write('/v/a.ts', 'x'), edit('a.ts', 'x', 'y')],
      ['/u/a.ts 1:x (an edit of a.ts)', '/v/a.ts 1:x (an edit of a.ts)'],
    ],
    // Another package has a file of this name: what disagrees is about that one.
    [
      'a read of a path without its folder that disagrees',
      [write('/w/a/src/i.ts', 'x\n'), seen('src/i.ts', 'z\n')],
      ['/w/a/src/i.ts 1:x\n (src/i.ts was seen otherwise)', 'src/i.ts 1:z\n'],
    ],
    [
      'a write of a path without its folder',
      [write('/w/a/src/i.ts', 'x'), write('src/i.ts', 'z')],
      ['/w/a/src/i.ts 1:x (a write of src/i.ts)', 'src/i.ts 1:z'],
    ],
    [
      'an edit of a path without its folder that does not fit',
      [write('/w/a/src/i.ts', 'x'), edit('src/i.ts', 'z', 'y')],
      ['/w/a/src/i.ts 1:x (an edit of src/i.ts)'],
    ],
    [
      'an addition to a path without its folder',
      [write('/w/a/src/i.ts', 'x'), { kind: 'appended', path: 'src/i.ts', text: 'y' }],
      ['/w/a/src/i.ts 1:x (an addition of src/i.ts)'],
    ],
    [
      'a deletion of a path without its folder',
      [write('/w/a/src/i.ts', 'x'), { kind: 'deleted', path: 'src/i.ts' }],
      ['/w/a/src/i.ts 1:x (rm src/i.ts)'],
    ],
    [
      'a part that tells nothing',
      [part('/w/a/src/i.ts', 1, 'x'), part('src/i.ts', 5, 'y')],
      ['/w/a/src/i.ts 1:x', 'src/i.ts 5:y'],
    ],
    [
      'a part that stands in it, and an edit of one of the two then',
      [part('/w/src/i.ts', 1, 'x\ny'), part('src/i.ts', 2, 'y\nz'), edit('/w/src/i.ts', 'x', 'v')],
      ['src/i.ts 2:y\nz (an edit of /w/src/i.ts)', '/w/src/i.ts 1:v\ny'],
    ],
    [
      'a file that was shown to be the same, written without its folder',
      [
        write('/w/src/i.ts', 'x\ny\nz\n'),
        seen('src/i.ts', 'x\ny\nz\n'),
        write('src/i.ts', 'v\n'),
        write('/w/b/src/i.ts', 'u\n'),
      ],
      ['/w/src/i.ts 1:v\n', '/w/b/src/i.ts 1:u\n'],
    ],
    [
      'two files that are nearly empty, one written',
      [write('/w/a/i.py', ''), seen('i.py', ''), write('i.py', 'x')],
      ['/w/a/i.py 1: (a write of i.py)', 'i.py 1:x'],
    ],
    [
      'a folder with its files, given to something that is not known',
      [
        write('/w/s/a', 'x'),
        write('/w/t/b', 'y'),
        { kind: 'may_change', targets: ['/w/s'], by },
        { kind: 'may_change', targets: ['/w/u/*.ts'], by },
      ],
      ['/w/s/a 1:x (make)', '/w/t/b 1:y'],
    ],
    [
      'names without a folder, given to something that is not known',
      [write('/w/s/a.ts', 'x'), { kind: 'may_change', targets: ['s/*.ts'], by }],
      ['/w/s/a.ts 1:x (make)'],
    ],
    [
      'a file moved into a folder that is known',
      [
        write('/w/lib/b.ts', 'y'),
        write('/w/a.ts', 'x'),
        { kind: 'moved', path: '/w/a.ts', to: '/w/lib' },
      ],
      ['/w/lib/b.ts 1:y', '/w/lib/a.ts 1:x'],
    ],
    [
      'a file moved to what may be a folder',
      [write('/w/a.ts', 'x'), { kind: 'moved', path: '/w/a.ts', to: '/w/lib' }],
      [],
    ],
    [
      'a folder that nobody has seen, copied over one that is known',
      [write('/w/lib/b.ts', 'y'), { kind: 'copied', path: '/tmp/new', to: '/w/lib' }],
      ['/w/lib/b.ts 1:y (cp /tmp/new)'],
    ],
    [
      'a program that changes what it finds',
      [
        write('/p.py', "for p in Path('.').rglob('*'):\n    p.write_text('')\n"),
        write('/a.ts', 'x'),
        { kind: 'ran', path: '/p.py', by, isPatch: false, args: [] },
      ],
      ["/p.py 1:for p in Path('.').rglob('*'):\n    p.write_text('')\n (make)", '/a.ts 1:x (make)'],
    ],
    [
      'a program that nobody has seen, and what it was given',
      [
        write('/w/a.ts', 'x'),
        write('/w/b.ts', 'y'),
        { kind: 'ran', path: '/w/fix.py', by, isPatch: false, args: ['/w/a.ts'] },
      ],
      ['/w/a.ts 1:x (make)', '/w/b.ts 1:y'],
    ],
  ])('%s', (_, actions, files) => expect(after(...actions)).toEqual(files));
});

it('how many lines a file has is not known any more after an edit of lines that are not', () => {
  const files = new FileBook(new Effort());
  const parts = { blocks: [{ first: 1, text: 'a\nb' }], total: 90 };
  files.apply({ kind: 'seen', path: '/a', text: parts }, 1);
  files.apply(edit('/a', 'z', 'y\nz'), 2);
  expect(files.known()[0]?.text).toEqual({ ...parts, total: null });
});
