import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { isJsonObject } from '../../../src/domain/json.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { attachment, ofTokens } from '../../support/items.ts';
import { append, compact, last, StubModel } from '../lab.ts';
import { assistant, call, GOOD, openLab, output, printed, reads } from './lab.ts';

/** A file with so many tokens in it, printed as Codex prints files. */
function readOf(path: string, tokens: number): Item[] {
  // The line feed that ends a file counts, too.
  return reads(`read ${path}`, path, ofTokens(tokens).slice(0, -1));
}

type Restored = { origin: string; path: unknown; content: unknown; tokens: number };

/** What a full compaction of these items restores. */
async function restored(items: Item[], config: ConfigOverrides = {}): Promise<Restored[]> {
  const lab = await openLab(config);
  StubModel.of(lab, GOOD);
  // Enough that what is restored is smaller than what is compacted.
  await append(lab, assistant(ofTokens(3_000)), ...items);
  await compact(lab, 'full');
  const { entries } = await lab.view();
  return entries.slice(2).map(({ origin, item, tokens }) => {
    const { path, content } = isJsonObject(item.attachment) ? item.attachment : {};
    return { origin, path, content, tokens };
  });
}

const paths = (found: Restored[]) => found.map(({ path }) => path);

describe('is_agent_file', () => {
  it.each([
    ['CV-120', '.claude/plans/p.md'],
    ['CV-120', '/home/u/.claude/plans/sub/p.md'],
    ['CV-121', '.claude/agents/agent-1/state.md'],
    ['CV-121', '.claude/agents/another.md'],
    ['CV-122', 'x.agent.json'],
    ['CV-122', 'dir/x.agent.toml'],
  ])('%s: %s is left out', async (_id, path) => {
    expect(paths(await restored([...readOf(path, 100), ...readOf('a.ts', 100)]))).toEqual(['a.ts']);
  });

  it.each(['plans/p.md', '.claude/settings.json', 'x.agent.json.ts', 'agent.json'])(
    'CV-120, CV-121, CV-122: %s is not',
    async (path) => {
      expect(paths(await restored(readOf(path, 100)))).toEqual([path]);
    },
  );

  it('CV-121: which files those are can be configured', async () => {
    const items = [...readOf('.claude/agents/mine.md', 100), ...readOf('.claude/agents/my/x', 100)];
    const config = { restore_exclude: ['.claude/agents/my/'] };
    expect(paths(await restored(items, config))).toEqual(['.claude/agents/mine.md']);
  });
});

describe('restore_file_reads', () => {
  const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
  const SIX = NAMES.flatMap((name) => readOf(`${name}.ts`, 100));

  it('CV-26, CV-123, CV-129: the five read last, newest first', async () => {
    expect(paths(await restored(SIX))).toEqual(['f.ts', 'e.ts', 'd.ts', 'c.ts', 'b.ts']);
  });

  it('CV-26: a file that is read again is as new as that, with what was read then', async () => {
    const [first, second] = await restored([...SIX, ...reads('again', 'a.ts', 'read again')]);
    expect(first).toMatchObject({ path: 'a.ts', content: 'read again\n' });
    expect(second).toMatchObject({ path: 'f.ts' });
  });

  it('CV-123: agent files take none of the places', async () => {
    const own = [...readOf('.claude/plans/p.md', 100), ...readOf('x.agent.toml', 100)];
    expect(await restored([...SIX, ...own])).toHaveLength(5);
    expect(await restored(SIX, { restore_max_files: 2 })).toHaveLength(2);
  });

  it('CV-124: a file keeps at most 5,000 tokens, cut in the middle, and counts as much', async () => {
    const [fits] = await restored(readOf('a.ts', 5_000));
    expect(fits?.content).toBe(`${ofTokens(5_000).slice(0, -1)}\n`);
    const [cut] = await restored(readOf('a.ts', 9_000));
    expect(cut?.content).toMatch(/^abc [\s\S]*\n\[… about \d+ tokens left out …\]\n[\s\S]*abc\n$/);
    expect(cut?.tokens).toBeLessThanOrEqual(5_000);
    expect(cut?.tokens).toBeGreaterThan(4_900);
    // Two of 9,000 tokens are two of 5,000.
    const two = [...readOf('a.ts', 9_000), ...readOf('b.ts', 9_000)];
    expect(await restored(two, { restore_total_file_budget: 10_000 })).toHaveLength(2);
    expect(await restored(two, { restore_total_file_budget: 9_000 })).toHaveLength(1);
  });

  it('CV-125, CV-129: the first file above what is left of the budget ends it', async () => {
    const items = [...readOf('late.ts', 1_000), ...readOf('large.ts', 4_000)];
    const all = [...items, ...readOf('first.ts', 4_000)];
    const config = { restore_total_file_budget: 7_000 };
    expect(paths(await restored(all, config))).toEqual(['first.ts']);
    const skipping = { ...config, restore_over_budget: 'skip' } as const;
    expect(paths(await restored(all, skipping))).toEqual(['first.ts', 'late.ts']);
  });

  it('CV-125: a budget that is exactly used up is enough', async () => {
    const items = [...readOf('b.ts', 3_000), ...readOf('a.ts', 4_000)];
    const exact = { restore_total_file_budget: 7_000 };
    expect(paths(await restored(items, exact))).toEqual(['a.ts', 'b.ts']);
    expect(paths(await restored(items, { restore_total_file_budget: 6_999 }))).toEqual(['a.ts']);
  });

  it('CV-125: 50,000 tokens in all, where more than five files may come', async () => {
    const eleven = Array.from({ length: 11 }, (_, n) => readOf(`f${n}.ts`, 5_000)).flat();
    const found = await restored(eleven, { restore_max_files: 20 });
    expect(found).toHaveLength(10);
    expect(paths(found)).not.toContain('f0.ts');
  });

  it('CV-126: a file that could not be read is left out, and costs nothing', async () => {
    const failed = [
      call('no', 'exec_command', { cmd: 'cat gone.ts' }),
      output('no', printed('cat: gone.ts: No such file or directory', 1)),
    ];
    const items = [...readOf('a.ts', 4_000), ...failed];
    expect(paths(await restored(items, { restore_total_file_budget: 4_000 }))).toEqual(['a.ts']);
  });

  it('CV-131: a file has its name and its content', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, assistant(ofTokens(3_000)), ...readOf('src/a.ts', 3));
    await compact(lab, 'full');
    expect((await lab.view()).entries.at(-1)?.item).toEqual({
      type: 'attachment',
      attachment: { kind: 'file', path: 'src/a.ts', content: 'abc abc abc\n' },
    });
  });

  it('CV-131: of a file that is not all known, the lines are named', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const part = [
      call('part', 'exec_command', { cmd: "sed -n '5,6p' src/a.ts" }),
      output('part', printed('five\nsix')),
    ];
    await append(lab, assistant(ofTokens(3_000)), ...part, assistant('I see.'));
    await compact(lab, 'full');
    const file = (await lab.view()).entries.find(({ origin }) => origin === 'file');
    expect(file?.item.attachment).toMatchObject({
      path: 'src/a.ts',
      content: expect.stringMatching(/^\[lines? 5.6[\s\S]*\nfive\nsix/),
      known_lines: { parts: [{ from: 5, to: 6 }] },
    });
  });

  it('CV-132: what comes back never lifts the context to its threshold', async () => {
    const files = [...readOf('old.ts', 500), ...readOf('new.ts', 500)];
    const config = {
      auto_compact_threshold: 1_000,
      summary_max_tokens: 64,
      auto_compact_enabled: false,
    };
    expect(paths(await restored(files, config))).toEqual(['new.ts']);
  });
});

describe('restore_todo_list and restore_plan_file', () => {
  const TODOS = [{ content: 'ship it', status: 'pending' }];
  const PLAN = attachment('plan', ofTokens(7_000), 'docs/plan.md');

  it('CV-127, CV-129, CV-131: the latest list, as it was posted', async () => {
    const found = await restored([attachment('todo', 'an older one'), attachment('todo', TODOS)]);
    expect(found).toMatchObject([{ origin: 'todo', content: TODOS }]);
  });

  it.each([[[]], [''], ['  ']])(
    'CV-127, CV-129: of an empty list (%j) there is none',
    async (content) => {
      expect(await restored([attachment('todo', TODOS), attachment('todo', content)])).toEqual([]);
    },
  );

  it('CV-128, CV-129, CV-131: the whole plan, however long, with its name', async () => {
    expect(await restored([attachment('plan', 'an older one'), PLAN])).toEqual([
      { origin: 'plan', path: 'docs/plan.md', content: ofTokens(7_000), tokens: 7_000 },
    ]);
  });

  it('CV-127: the latest list of update_plan, in whatever way the others came', async () => {
    const plan = [{ step: 'Ship it', status: 'in_progress' }];
    const found = await restored([
      attachment('todo', 'an older one'),
      call('p', 'update_plan', { plan }),
      output('p', 'Plan updated'),
      assistant('Planned.'),
    ]);
    expect(found).toMatchObject([{ origin: 'todo' }]);
    expect(JSON.stringify(found)).toContain('Ship it');
  });

  it('CV-128: a plan file that was written, and a plan that was approved', async () => {
    const path = '/home/u/.claude/plans/otter.md';
    const written = [
      call('w', 'Write', { file_path: path, content: '# Plan\n\nFirst the parser.\n' }),
      output('w', `File created successfully at: ${path}`),
      assistant('Written.'),
    ];
    expect(await restored(written)).toMatchObject([
      { origin: 'plan', path, content: '# Plan\n\nFirst the parser.\n' },
    ]);
    const approved = [
      call('e', 'ExitPlanMode', { plan: '# Then the lexer' }),
      output('e', 'User has approved your plan. You can now start coding.'),
      assistant('Good.'),
    ];
    const found = await restored([...written, ...approved]);
    expect(found).toMatchObject([{ origin: 'plan', content: '# Then the lexer' }]);
  });

  it('CV-128, CV-129: where there is none, none', async () => {
    expect(await restored([])).toEqual([]);
    expect(await restored([PLAN, attachment('plan', '')])).toEqual([]);
  });

  it.each<[string, ConfigOverrides, string[]]>([
    ['as it comes', {}, ['file', 'todo', 'plan']],
    ['without todos', { restore_todos: false }, ['file', 'plan']],
    ['without the plan', { restore_plan: false }, ['file', 'todo']],
    ['without files', { restore_max_files: 0 }, ['todo', 'plan']],
  ])('CV-129, CV-130: %s', async (_name, config, origins) => {
    const items = [PLAN, attachment('todo', TODOS), ...readOf('a.ts', 100)];
    const found = await restored(items, config);
    expect(found.map(({ origin }) => origin)).toEqual(origins);
  });

  it('CV-199: the report says how many files came back', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, assistant(ofTokens(3_000)), ...readOf('a.ts', 9), ...readOf('b.ts', 9), PLAN);
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(report.files_restored).toBe(2);
  });
});
