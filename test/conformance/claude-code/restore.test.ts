import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { isJsonObject } from '../../../src/domain/json.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { assistant, attachment, call, ofTokens, result, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, compact, last, StubModel, WINDOW } from '../lab.ts';
import { openLab } from './lab.ts';

/** A Read of a file with so many tokens in it, numbered as Claude Code does. */
function readOf(path: string, tokens: number): Item[] {
  const id = `read ${path}`;
  return [call(id, 'Read', { file_path: path }), result(id, `     1→${ofTokens(tokens)}`)];
}

type Restored = { origin: string; path: unknown; content: unknown; tokens: number };

/** What a full compaction of these items restores. */
async function restored(items: Item[], config: ConfigOverrides = {}): Promise<Restored[]> {
  const lab = await openLab(config);
  return compacted(lab, items);
}

async function compacted(lab: SessionLab, items: Item[]): Promise<Restored[]> {
  StubModel.of(lab, summaryAnswer());
  // Enough that what is restored is smaller than what is compacted.
  await append(lab, user('Go on.'), assistant(ofTokens(3_000)), ...items);
  await compact(lab, 'full');
  const { entries } = await lab.view();
  // In front of what is restored stand boundary, latest request and summary.
  const made = ['boundary', 'preserved', 'summary'];
  return entries
    .filter(({ origin }) => !made.includes(origin))
    .map(({ origin, item, tokens }) => {
      const { path, content } = isJsonObject(item.attachment) ? item.attachment : {};
      return { origin, path, content, tokens };
    });
}

const paths = (found: Restored[]) => found.map(({ path }) => path);

describe('restoreFileReads: bD5', () => {
  const SIX = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => readOf(`src/${name}.ts`, 100));

  it('CC-08, CC-182: the five files that were read last, newest first', async () => {
    expect(paths(await restored(SIX))).toEqual([
      'src/f.ts',
      'src/e.ts',
      'src/d.ts',
      'src/c.ts',
      'src/b.ts',
    ]);
  });

  it('CC-180: read by a tool or a command or handed over by the client, with the content known last', async () => {
    const items = [
      ...readOf('a.ts', 100),
      attachment('file', 'handed over', 'b.ts'),
      call('again', 'Read', { file_path: 'a.ts' }),
      result('again', '     1→read again'),
      call('cat', 'Bash', { command: 'cat c.ts' }),
      result('cat', 'printed'),
    ];
    expect(await restored(items)).toMatchObject([
      { origin: 'file', path: 'c.ts', content: 'printed\n' },
      { origin: 'file', path: 'a.ts', content: 'read again' },
      { origin: 'file', path: 'b.ts', content: 'handed over' },
    ]);
  });

  it('CC-180, CC-184: a file that was written, and one that was edited after it was read', async () => {
    const items = [
      call('r', 'Read', { file_path: 'b.ts' }),
      result('r', '     1→const b = 1;'),
      call('w', 'Write', { file_path: 'a.ts', content: 'const a = 1;\n' }),
      result('w', 'File created successfully at: a.ts'),
      call('e', 'Edit', { file_path: 'b.ts', old_string: 'b = 1', new_string: 'b = 2' }),
      result('e', 'The file b.ts has been updated.'),
      assistant('Edited.'),
    ];
    expect(await restored(items)).toMatchObject([
      { path: 'b.ts', content: 'const b = 2;' },
      { path: 'a.ts', content: 'const a = 1;\n' },
    ]);
  });

  it('CC-184: of a file that is not all known the lines are named', async () => {
    const [file] = await restored([
      call('p', 'Read', { file_path: 'a.ts', offset: 5, limit: 2 }),
      result('p', '     5→five\n     6→six'),
      assistant('I see.'),
    ]);
    expect(file?.content).toMatch(/^\[lines? 5.6[\s\S]*\nfive\nsix/);
  });

  it.each(['.claude/plans/p.md', '/home/u/.claude/agents/x.md', 'x.agent.json', 'x.agent.toml'])(
    'CC-181: the agent’s own file %s is left out',
    async (path) => {
      expect(paths(await restored([...readOf(path, 100), ...readOf('a.ts', 100)]))).toEqual([
        'a.ts',
      ]);
    },
  );

  it('CC-183: one that cannot be restored is not replaced by the sixth', async () => {
    const config = { restore_tokens_per_file: 0 };
    expect(await restored(SIX, config)).toEqual([]);
    // The second newest is above the budget of what is left: four stay.
    const large = [...SIX.slice(0, 8), ...readOf('src/large.ts', 4_000), ...SIX.slice(10)];
    const found = await restored(large, { restore_total_file_budget: 3_000 });
    expect(paths(found)).toEqual(['src/f.ts', 'src/d.ts', 'src/c.ts', 'src/b.ts']);
  });

  it('CC-09, CC-184: a file keeps at most 5,000 tokens, cut in the middle', async () => {
    const [fits] = await restored(readOf('a.ts', 5_000));
    expect(fits?.content).toBe(ofTokens(5_000));
    const [cut] = await restored(readOf('a.ts', 5_001));
    expect(cut?.content).toMatch(/^abc [\s\S]*\n\[… about \d+ tokens left out …\]\n[\s\S]*abc $/);
    expect(cut?.tokens).toBeLessThanOrEqual(5_000);
    expect(cut?.tokens).toBeGreaterThan(4_000);
  });

  it('CC-10: 50,000 tokens in all, where more than five files may come', async () => {
    expect(profileConfig('claude-code', WINDOW).restore_max_files).toBe(5);
    const eleven = Array.from({ length: 11 }, (_, n) => readOf(`f${n}.ts`, 5_000)).flat();
    const found = await restored(eleven, { restore_max_files: 20 });
    expect(found).toHaveLength(10);
    expect(paths(found)).not.toContain('f0.ts');
  });

  it('CC-185: a file above what is left of the budget is skipped, a later one may fit', async () => {
    const items = [
      ...readOf('late.ts', 3_000),
      ...readOf('skipped.ts', 4_001),
      ...readOf('first.ts', 4_000),
    ];
    const config = { restore_total_file_budget: 8_000 };
    expect(paths(await restored(items, config))).toEqual(['first.ts', 'late.ts']);
    const exact = [...readOf('exact.ts', 4_000), ...readOf('first.ts', 4_000)];
    expect(paths(await restored(exact, config))).toEqual(['first.ts', 'exact.ts']);
  });

  it('CC-143: after the next round the files read since come first, the restored after them', async () => {
    const lab = await openLab();
    await compacted(lab, [...readOf('a.ts', 100), ...readOf('b.ts', 100)]);
    const found = await compacted(lab, readOf('c.ts', 100));
    expect(paths(found)).toEqual(['c.ts', 'b.ts', 'a.ts']);
  });

  it('CC-186: the report says how many files came back', async () => {
    const lab = await openLab();
    StubModel.of(lab, summaryAnswer());
    await append(lab, user(ofTokens(3_000)), ...SIX.slice(0, 4));
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(report.files_restored).toBe(2);
  });

  it('CC-191: what comes back never lifts the context to its threshold', async () => {
    const files = [...readOf('old.ts', 500), ...readOf('new.ts', 500)];
    const room = { auto_compact_threshold: 1_000, summary_max_tokens: 64 };
    expect(paths(await restored(files, { ...room, auto_compact_enabled: false }))).toEqual([
      'new.ts',
    ]);
  });
});

describe('restoreTodoList: fD5', () => {
  const TODOS = [
    { content: 'ship it', status: 'pending' },
    { content: 'test it', status: 'completed' },
  ];

  it('CC-187: the latest list with all its items, as it was posted', async () => {
    const latest: Item = {
      type: 'attachment',
      attachment: { kind: 'todo', content: TODOS, itemCount: 2, context: 'session' },
    };
    const lab = await openLab();
    await compacted(lab, [attachment('todo', 'an older one'), latest]);
    const { entries } = await lab.view();
    expect(entries.at(-1)).toMatchObject({ origin: 'todo', item: latest });
    expect(entries.filter(({ origin }) => origin === 'todo')).toHaveLength(1);
  });

  it('CC-187: that of TodoWrite or of the task tools, where it is the newer one', async () => {
    const todos = [{ content: 'ship it', status: 'in_progress', activeForm: 'Shipping it' }];
    const written = [
      attachment('todo', 'an older one'),
      call('t', 'TodoWrite', { todos }),
      result('t', 'Todos have been modified successfully.'),
    ];
    const first = await restored([...written, assistant('Noted.')]);
    expect(first).toMatchObject([{ origin: 'todo', content: [{ content: 'ship it' }] }]);
    const made = [
      call('c', 'TaskCreate', { subject: 'Parse', description: 'Parse', activeForm: 'Parsing' }),
      result('c', 'Task #1 created successfully: Parse'),
    ];
    const second = await restored([...written, ...made, assistant('Noted.')]);
    expect(second.map(({ origin }) => origin)).toEqual(['todo']);
    expect(JSON.stringify(second)).toContain('Parse');
  });

  it.each([[[]], [''], ['  ']])('CC-187: of an empty list (%j) there is none', async (content) => {
    const items = [attachment('todo', TODOS), attachment('todo', content)];
    expect(await restored(items)).toEqual([]);
  });
});

describe('restorePlanFile: XQ0', () => {
  it('CC-188: the whole plan, however long, with its path', async () => {
    const plan = attachment('plan', ofTokens(7_000), 'docs/plan.md');
    expect(await restored([plan])).toEqual([
      { origin: 'plan', path: 'docs/plan.md', content: ofTokens(7_000), tokens: 7_000 },
    ]);
  });

  it('CC-188: a plan file with its edits, or the plan that was approved last', async () => {
    const path = '/home/u/.claude/plans/otter.md';
    const written = [
      call('w', 'Write', { file_path: path, content: '# Plan\n\nFirst the parser.\n' }),
      result('w', `File created successfully at: ${path}`),
      call('e', 'Edit', { file_path: path, old_string: 'parser', new_string: 'lexer' }),
      result('e', `The file ${path} has been updated successfully.`),
    ];
    expect(await restored([...written, assistant('Planned.')])).toMatchObject([
      { origin: 'plan', path, content: '# Plan\n\nFirst the lexer.\n' },
    ]);
    const approved = [
      call('x', 'ExitPlanMode', { plan: '# Then the docs' }),
      result('x', 'User has approved your plan. You can now start coding.'),
    ];
    const found = await restored([...written, ...approved, assistant('Good.')]);
    expect(found).toMatchObject([{ origin: 'plan', content: '# Then the docs' }]);
  });

  it('CC-189: only where there is one', async () => {
    expect(await restored([])).toEqual([]);
    const items = [attachment('plan', 'First.'), attachment('plan', '')];
    expect(await restored(items)).toEqual([]);
  });
});
