import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { ofTokens, tool as toolOfClaude } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, compactByItself, last, steps } from '../lab.ts';
import {
  assistant,
  call,
  IMAGE,
  inputText,
  microCompact,
  openLab,
  output,
  printed,
  shells,
  tool,
  user,
} from './lab.ts';

const CLEARED = '[Old tool result content cleared]';
const MICRO = 'compaction.micro_completed';

/** A session with these items. */
async function labWith(items: Item[], config: ConfigOverrides = {}): Promise<SessionLab> {
  const lab = await openLab(config);
  await append(lab, ...items);
  return lab;
}

async function cleared(items: Item[], config: ConfigOverrides = {}): Promise<string[]> {
  return (await microCompact(await labWith(items, config)))?.ids ?? [];
}

describe('ELIGIBLE_TOOLS', () => {
  it.each(['shell', 'read', 'grep', 'glob', 'list_dir', 'web_fetch', 'web_search', 'task_output'])(
    'CV-30, CV-41: outputs of %s are cleared',
    async (name) => {
      const items = [...tool('old', name, 50_000), ...shells(1, 1, 1)];
      expect(await cleared(items)).toEqual(['old']);
    },
  );

  it.each(['apply_patch', 'update_plan', 'view_image', 'shell_extra'])(
    'CV-30, CV-41: outputs of %s are not',
    async (name) => {
      const items = [...tool('old', name, 50_000), ...shells(1, 1, 1)];
      expect(await cleared(items)).toEqual([]);
    },
  );

  it.each(['SHELL', 'Read', 'Bash', 'exec_command', 'read_file', 'WebFetch'])(
    'CV-31: the name %s counts too',
    async (name) => {
      const items = [...tool('old', name, 50_000), ...shells(1, 1, 1)];
      expect(await cleared(items)).toEqual(['old']);
    },
  );

  it('CV-31: which tools those are can be configured', async () => {
    const items = [...tool('a', 'query', 50_000), ...tool('b', 'shell', 50_000)];
    const config = {
      micro_compact_eligible_tools: ['query'],
      micro_compact_keep_last_n_tools: 0,
    };
    expect(await cleared(items, config)).toEqual(['a']);
  });
});

describe('try_micro_compact', () => {
  it.each<[string, number[], string[]]>([
    ['CV-32, CV-37, CV-41, CV-98: saving 19,999 is too little', [19_999, 1, 1, 1], []],
    ['CV-32, CV-37, CV-41: saving 20,000 is enough', [20_000, 1, 1, 1], ['r1']],
    [
      'CV-32, CV-34, CV-41: the last three stay',
      [20_000, 20_000, 20_000, 20_000, 20_000],
      ['r1', 'r2'],
    ],
    ['CV-34: three outputs are none too many', [40_000, 40_000, 40_000], []],
    [
      'CV-35: all others, however small each is',
      [20_000, 1, 2, 3, 4, 5, 6],
      ['r1', 'r2', 'r3', 'r4'],
    ],
    ['CV-35: however little is left in all', [22_000, 6_000, 6_000, 6_000], ['r1']],
    [
      'CV-35: also those that are not needed to get anywhere',
      [20_000, 10_000, 10_000, 10_000, 10_000],
      ['r1', 'r2'],
    ],
  ])('%s', async (_row, sizes, expected) => {
    expect(await cleared(shells(...sizes))).toEqual(expected);
  });

  it('CV-33: only eligible calls are collected, with their outputs, also those that stand before them', async () => {
    const early = output('r1', ofTokens(30_000));
    const others = ['e1', 'e2', 'e3'].flatMap((id) => tool(id, 'apply_patch', 10));
    const items = [early, call('r1', 'shell'), ...shells(1, 50_000, 1, 1, 1).slice(2), ...others];
    expect(await cleared(items)).toEqual(['r1', 'r2']);
  });

  it('CV-34: recent is what was called last, whatever the order of the outputs', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    const calls = ids.map((id) => call(id, 'shell'));
    const answers = ids.toReversed().map((id) => output(id, ofTokens(20_000)));
    expect(await cleared([...calls, ...answers, assistant('Read.')])).toEqual(['a']);
  });

  it('CV-34: nor is one cleared that the model has not read yet', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    const calls = ids.map((id) => call(id, 'shell'));
    const answers = ids.map((id) => output(id, ofTokens(20_000)));
    const config = { auto_compact_enabled: false };
    expect(await cleared([...calls, ...answers], config)).toEqual([]);
    expect(await cleared([...calls, ...answers, assistant('Read.')], config)).toEqual(['a']);
  });

  it('CV-44: a call without an output takes one of the three places', async () => {
    const three = shells(50_000, 10_000, 10_000);
    expect(await cleared(three)).toEqual([]);
    expect(await cleared([...three, call('open', 'shell')])).toEqual(['r1']);
  });

  it('CV-36, CV-41: the saving is the sum of what is cleared, the marker not taken off', async () => {
    const lab = await labWith(shells(15_000, 7_000, 400, 9, 9, 9));
    expect(await microCompact(lab)).toEqual({ ids: ['r1', 'r2', 'r3'], saved: 22_400 });
  });

  it('CV-32, CV-36: an image counts 2,000', async () => {
    const images = (count: number) => [
      call('shots', 'read'),
      output(
        'shots',
        Array.from({ length: count }, () => IMAGE),
      ),
      ...shells(1, 1, 1),
    ];
    expect(await cleared(images(9))).toEqual([]);
    expect(await microCompact(await labWith(images(10)))).toEqual({
      ids: ['shots'],
      saved: 20_000,
    });
    expect(await cleared(images(9), { tokens_per_image: 2_500 })).toEqual(['shots']);
  });

  it('CV-32: minimum and number can be configured', async () => {
    const items = shells(5_000, 5_000, 5_000);
    const config = { micro_compact_min_tokens_to_save: 5_000, micro_compact_keep_last_n_tools: 2 };
    expect(await cleared(items, config)).toEqual(['r1']);
  });

  it('CV-38, CV-41: the content becomes the marker; calls and all else stay', async () => {
    const old = output('old', [inputText(ofTokens(30_000))], { status: 'completed' });
    const items = [user('Look.'), call('old', 'read'), old, ...shells(1, 1, 1), assistant('Done.')];
    const lab = await labWith(items);
    await compact(lab, 'micro');
    const after = (await lab.view()).entries.map(({ item }) => item);
    const marked = { ...old, output: '[Old tool result content cleared]' };
    expect(after).toEqual(items.map((item) => (item === old ? marked : item)));
  });

  it('CV-40: per output the tokens before and after, and the outcome', async () => {
    const lab = await labWith(shells(30_000, 1, 1, 1));
    const { data } = last(await compact(lab, 'micro'), MICRO);
    expect(data.edits).toMatchObject([
      { tool_use_id: 'r1', kind: 'cleared', tokens_before: 30_000, tokens_after: 9 },
    ]);
    expect(data.tokens_saved).toBe(30_000);
    // With the margin on both sides, and the marker in the context.
    const gone = data.tokens_before - data.tokens_after;
    expect(Math.abs(gone - (30_000 - 9) * 1.33)).toBeLessThan(1);
    const row = await lab.store.compaction(lab.ref, data.compaction_id);
    expect(row).toMatchObject({ outcome: 'micro_compacted', tokens_after: data.tokens_after });
  });

  it('CV-42: errors stay unless the configuration says otherwise', async () => {
    const failed: Item[] = [
      { type: 'shell_call', call_id: 'bad', action: { commands: ['npm test'] } },
      {
        type: 'shell_call_output',
        call_id: 'bad',
        output: [{ stdout: ofTokens(30_000), stderr: '', outcome: { type: 'exit', exit_code: 1 } }],
      },
    ];
    const items = [...failed, ...shells(1, 1, 1)];
    expect(await cleared(items)).toEqual([]);
    expect(await cleared(items, { micro_compact_clear_errors: true })).toEqual(['bad']);
  });

  it('CV-42: one of which only the text tells the failure is cleared like others', async () => {
    const failed = [call('bad', 'exec_command'), output('bad', printed(ofTokens(30_000), 1))];
    expect(await cleared([...failed, ...shells(1, 1, 1)])).toEqual(['bad']);
  });

  /** The document's steps, as they stand there. */
  function byTheDocument(calls: { id: string; isEligible: boolean; tokens: number }[]) {
    const collected = calls.filter(({ isEligible }) => isEligible);
    const others = collected.slice(0, Math.max(0, collected.length - 3));
    const saved = others.reduce((sum, { tokens }) => sum + tokens, 0);
    if (saved < 20_000) return null;
    return { ids: others.map(({ id }) => id), saved };
  }

  it('CV-41: of any history the same outputs as by the steps of the document', async () => {
    const anyCall = fc.record({
      isEligible: fc.boolean(),
      tokens: fc.oneof(fc.integer({ min: 1, max: 9_000 }), fc.constant(20_000)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 12 }), async (drawn) => {
        const calls = drawn.map((one, index) => ({ ...one, id: `c${index}` }));
        const items = calls.flatMap(({ id, isEligible, tokens }) =>
          tool(id, isEligible ? 'shell' : 'apply_patch', tokens),
        );
        const lab = await labWith(items, { auto_compact_enabled: false });
        expect(await microCompact(lab)).toEqual(byTheDocument(calls));
        // And again: nothing more.
        expect(await microCompact(lab)).toBeNull();
      }),
      { numRuns: 25 },
    );
  });
});

describe('every kind of result', () => {
  const functionCall = (id: string, tokens: number) => tool(id, 'shell', tokens);
  const customCall = (id: string, tokens: number): Item[] => [
    { type: 'custom_tool_call', call_id: id, name: 'shell', input: 'ls' },
    { type: 'custom_tool_call_output', call_id: id, output: ofTokens(tokens) },
  ];
  const localShell = (id: string, tokens: number): Item[] => [
    { type: 'local_shell_call', id, call_id: id, action: { type: 'exec', command: ['ls'] } },
    { type: 'local_shell_call_output', id, output: ofTokens(tokens) },
  ];
  const chatTool = (id: string, tokens: number): Item[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'shell', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: ofTokens(tokens) },
  ];

  it.each<[string, Format, (id: string, tokens: number) => Item[]]>([
    ['tool_use and tool_result', 'anthropic', (id, tokens) => toolOfClaude(id, 'shell', tokens)],
    ['function_call', 'openai-responses', functionCall],
    ['custom_tool_call', 'openai-responses', customCall],
    ['local_shell_call', 'openai-responses', localShell],
    ['tool messages', 'openai-chat', chatTool],
  ])('CV-43: %s of the format %s', async (_kind, format, pair) => {
    const lab = await openLab({}, { format });
    await append(lab, ...['a', 'b', 'c', 'd'].flatMap((id) => pair(id, 20_000)));
    expect(await microCompact(lab)).toEqual({ ids: ['a'], saved: 20_000 });
    const { entries } = await lab.view();
    expect(JSON.stringify(entries[1])).toContain(CLEARED);
    expect(JSON.stringify(entries[3])).not.toContain(CLEARED);
  });
});

describe('the whole of it', () => {
  it('CV-06, CV-41: an automatic one clears seven of ten outputs, and asks no model', async () => {
    const lab = await openLab();
    const items = Array.from({ length: 10 }, () => 15_000);
    const events = await compactByItself(lab, ...shells(...items));
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    expect(last(events, MICRO).data).toMatchObject({
      strategy: 'all_older',
      tokens_saved: 105_000,
    });
  });
});
