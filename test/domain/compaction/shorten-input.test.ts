import { describe, expect, it } from 'vitest';
import { materialOf } from '../../../src/domain/compaction/material.ts';
import { type MicroPlan, planMicro } from '../../../src/domain/compaction/micro.ts';
import { restorable } from '../../../src/domain/compaction/restore.ts';
import { sumTokens, type View } from '../../../src/domain/context/view.ts';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { savedBy } from '../../../src/domain/session/result-edits.ts';
import { countItem, estimator } from '../../../src/domain/tokens/count.ts';
import { configWith, viewIn, viewOf } from '../../support/given.ts';
import { assistant, call, result, text, user } from '../../support/items.ts';

const CONFIG: ConfigOverrides = {
  micro_compact_strategy: 'all_older',
  micro_compact_keep_last_n_tools: 0,
  micro_compact_min_tokens_to_save: 10,
  micro_compact_replacement: 'placeholder',
  micro_compact_truncate_inputs_over_tokens: 100,
  micro_compact_eligible_tools: ['Read'],
};

function plan(view: View, overrides: ConfigOverrides = {}, overBy = 0): MicroPlan | null {
  const config = configWith({ ...CONFIG, ...overrides });
  const count = estimator(config);
  const tokens = 999 + overBy;
  const limits = { tokens, threshold: 1_000, before: null, context_window: 20_000 };
  return planMicro({
    view,
    material: materialOf(view),
    config,
    count,
    ...limits,
    is_automatic: true,
  });
}

function applied(micro: MicroPlan): NewEvent {
  const rest = {
    tokens_before: 0,
    tokens_after: 0,
    is_above_threshold: false,
    is_still_due: false,
  };
  const data = { compaction_id: 'c', strategy: 'all_older' as const, ...micro, ...rest };
  return { type: 'compaction.micro_completed', data: { ...data, duration_ms: 0 } };
}

const LINES = Array.from({ length: 120 }, (_, n) => `export const value${n} = ${n} * factor;`);
const FILE = LINES.join('\n');
const PATCH = [
  '*** Begin Patch',
  '*** Update File: src/first.ts',
  '@@ export function first() {',
  ...LINES.map((line) => `-${line}`),
  '*** Move to: src/moved.ts',
  '*** Add File: src/second.ts',
  ...LINES.map((line) => `+${line}`),
  '*** Delete File: src/third.ts',
  '*** End Patch',
].join('\n');
const WRITTEN = 'File created successfully at: /work/src/a.ts';
const PATCHED = 'Success. Updated the following files:\nM src/first.ts\nA src/second.ts\n';

const exec = (cmd: string): Item[] => [
  { role: 'user', content: 'go' },
  {
    type: 'function_call',
    call_id: 'a',
    name: 'exec_command',
    arguments: JSON.stringify({ cmd, workdir: '/work' }),
  },
  {
    type: 'function_call_output',
    call_id: 'a',
    output: 'Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n',
  },
  { role: 'assistant', content: 'Done.' },
];

/** A call that has written much, and what of it stays readable. */
const CALLS: [string, Format, Item[], string[]][] = [
  [
    'a file that Claude Code has written',
    'anthropic',
    [
      user('go'),
      call('a', 'Write', { file_path: '/work/src/a.ts', content: FILE }),
      result('a', WRITTEN),
      assistant('Done.'),
    ],
    ['/work/src/a.ts', 'export const value0 = 0', 'value119'],
  ],
  [
    'a file of a call that names what it leaves out, as strict tools have to',
    'anthropic',
    [
      user('go'),
      call('a', 'Write', { file_path: '/work/src/a.ts', content: FILE, encoding: null }),
      result('a', WRITTEN),
      assistant('Done.'),
    ],
    ['/work/src/a.ts', '"encoding":null', 'value119'],
  ],
  [
    'an edit of Claude Code',
    'anthropic',
    [
      user('go'),
      call('a', 'Edit', {
        file_path: '/work/src/a.ts',
        old_string: FILE,
        new_string: `changed\n${FILE}`,
        replace_all: false,
      }),
      result('a', 'The file /work/src/a.ts has been updated successfully.'),
      assistant('Done.'),
    ],
    ['/work/src/a.ts', 'export const value0 = 0', 'changed', '"replace_all":false'],
  ],
  [
    'a patch of Codex',
    'openai-responses',
    [
      { role: 'user', content: 'go' },
      { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: PATCH },
      {
        type: 'custom_tool_call_output',
        call_id: 'a',
        output: `Exit code: 0\nWall time: 0 seconds\nOutput:\n${PATCHED}`,
      },
      { role: 'assistant', content: 'Done.' },
    ],
    [
      '*** Begin Patch\\n*** Update File: src/first.ts\\n@@ export',
      '\\n*** Move to: src/moved.ts\\n*** Add File: src/second.ts\\n+export const value0',
      '\\n*** Delete File: src/third.ts\\n*** End Patch',
    ],
  ],
  [
    'a file that a shell command of Codex has written',
    'openai-responses',
    exec(`cat > src/a.ts <<'EOF'\n${FILE}\nEOF`),
    ["cat > src/a.ts <<'EOF'", 'value0 = 0', '/work'],
  ],
  [
    'a file that OpenCode has written',
    'openai-chat',
    [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: {
              name: 'write',
              arguments: JSON.stringify({ content: FILE, filePath: '/work/src/a.ts' }),
            },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Wrote file successfully.' },
      { role: 'assistant', content: 'Done.' },
    ],
    ['/work/src/a.ts', 'export const value0 = 0', 'value119'],
  ],
  [
    'a file that an agent of the AI SDK has written',
    'ai-sdk',
    [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'a',
            toolName: 'writeFile',
            input: { path: 'src/a.ts', content: FILE },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'writeFile',
            output: { type: 'json', value: { success: true } },
          },
        ],
      },
      { role: 'assistant', content: 'Done.' },
    ],
    ['src/a.ts', 'export const value0 = 0', 'value119'],
  ],
];

describe('the inputs of old calls that wrote files', () => {
  it.each(CALLS)('%s is cut, and its path and beginning stay', (_, format, items, stays) => {
    const before = viewIn(format, items);
    const found = plan(before);
    expect(found?.edits).toMatchObject([{ tool_use_id: 'a', kind: 'input_truncated', seq: 3 }]);
    if (found === null) return;
    const after = viewIn(format, items, [applied(found)]);
    const shown = JSON.stringify(after.entries[1]?.item);
    for (const part of stays)
      expect(shown.replaceAll('\\"', '"').replaceAll('\\\\', '\\')).toContain(part);
    expect(shown).toContain('tokens left out');
    expect(shown).not.toContain('value60');
    expect(codecFor(format).check(after.entries[1]?.item as JsonObject)).toEqual([]);
    // What was counted is what the context loses, and nothing else of it changes.
    expect(sumTokens(before.entries) - sumTokens(after.entries)).toBe(savedBy(found.edits));
    const config = configWith();
    const item = codecFor(format).normalise(after.entries[1]?.item ?? {});
    expect(after.entries[1]?.tokens).toBe(countItem(item, estimator(config), config));
    expect(after.entries.toSpliced(1, 1)).toEqual(before.entries.toSpliced(1, 1));
    expect(found.tokens_saved).toBe(savedBy(found.edits));
    expect(plan(after)).toBeNull();
  });

  const written = (id: string, content: string, answer = WRITTEN, fields: JsonObject = {}) => [
    call(id, 'Write', { file_path: `/work/src/${id}.ts`, content }),
    result(id, answer, fields),
  ];
  const cut = (items: Item[], overrides: ConfigOverrides = {}) =>
    plan(viewOf([user('go'), ...items, assistant('ok')]), overrides)?.edits.map(
      ({ tool_use_id, kind }) => [tool_use_id, kind],
    ) ?? [];

  it.each<[string, Item[], ConfigOverrides]>([
    [
      'nothing is configured',
      written('a', FILE),
      { micro_compact_truncate_inputs_over_tokens: null },
    ],
    ['it is short', written('a', 'short'), {}],
    ['it is one of the newest calls', written('a', FILE), { micro_compact_keep_last_n_tools: 1 }],
    ['it has failed', written('a', FILE, 'EACCES: permission denied', { is_error: true }), {}],
    ['it has no result', [call('a', 'Write', { file_path: '/work/a.ts', content: FILE })], {}],
    [
      'it has written no file',
      [call('a', 'Task', { description: 'x', prompt: FILE }), result('a', 'Done.')],
      {},
    ],
    [
      'its id is that of another call of the item',
      [
        assistant(
          ['a', 'a'].map((id) => ({
            type: 'tool_use',
            id,
            name: 'Write',
            input: { file_path: '/work/a.ts', content: FILE },
          })),
        ),
        result('a', WRITTEN),
      ],
      {},
    ],
  ])('stay where %s', (_, items, overrides) => {
    expect(cut(items, overrides)).toEqual([]);
  });

  it('keep their path, however long it is', () => {
    const path = `/work/${'folder/'.repeat(30)}a.ts`;
    const items = [call('a', 'Write', { file_path: path, content: FILE }), result('a', WRITTEN)];
    const limit = { micro_compact_truncate_inputs_over_tokens: 16 };
    const found = plan(viewOf([user('go'), ...items, assistant('ok')]), limit);
    expect(JSON.parse(found?.edits[0]?.content ?? '{}')).toMatchObject({ file_path: path });
  });

  it('stay while their command goes on', () => {
    const going = exec(`cat > src/a.ts <<'EOF'\n${FILE}\nEOF`);
    going[2] = {
      ...going[2],
      output: 'Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n',
    };
    expect(plan(viewIn('openai-responses', going))).toBeNull();
  });

  it('are cut along with results that are cleared, and alone where that is enough', () => {
    const items = [
      ...written('a', FILE),
      call('r', 'Read', { file_path: '/work/b.ts' }),
      result('r', FILE),
    ];
    expect(cut(items)).toEqual([['a', 'input_truncated']]);
    const view = viewOf([user('go'), ...items, assistant('ok')]);
    const kinds = plan(view, {}, 1_500)?.edits.map(({ kind }) => kind);
    expect(kinds).toEqual(['cleared', 'input_truncated']);
  });

  it('of several calls in one item, each is cut for itself', () => {
    const items = [
      assistant([
        text('Both files.'),
        ...['a', 'b', 'c'].map((id) => ({
          type: 'tool_use',
          id,
          name: 'Write',
          input: { file_path: `/work/${id}.ts`, content: id === 'c' ? 'short' : FILE },
        })),
      ]),
      user(
        ['a', 'b', 'c'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: WRITTEN })),
      ),
    ];
    expect(cut(items)).toEqual([
      ['a', 'input_truncated'],
      ['b', 'input_truncated'],
    ]);
  });

  it('are known whole to what a full compaction puts back', () => {
    const items = [user('go'), ...written('a', FILE), assistant('ok'), user('more')];
    const found = plan(viewOf(items));
    if (found === null) throw new Error('nothing was cut');
    const view = viewOf(items, [applied(found)]);
    const config = configWith({ restore_max_files: 5 });
    const { files } = restorable(materialOf(view), view.entries.length, config, estimator(config));
    expect(files).toMatchObject([{ path: '/work/src/a.ts' }]);
    expect(JSON.stringify(files)).toContain('value60');
    expect(JSON.stringify(files)).not.toContain('tokens left out');
  });
});
