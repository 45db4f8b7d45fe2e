import { describe, expect, test } from 'vitest';
import type { Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { providerTools } from '../../../src/domain/items/provider-tools.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import { wholeText } from '../../../src/domain/workspace/known-text.ts';
import { foldWorkspace } from '../../../src/domain/workspace/known-workspace.ts';
import { ledgerOf, normalised } from '../../support/log-items.ts';

// Tools that the provider runs leave no call that a client answers, and are work all the same.

const searched: JsonObject[] = [
  { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'pgbouncer_pool' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 's1',
    content: [
      {
        type: 'web_search_result',
        title: 'max_prepared_statements',
        url: 'https://db.example/pooling',
        encrypted_content: 'Secret_Bytes',
      },
    ],
  },
];

const ANTHROPIC: Item[] = [
  { role: 'user', content: 'Why does the pool hang?' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look it up.' },
      ...searched,
      { type: 'mcp_tool_use', id: 'm1', name: 'ask', server_name: 'wiki', input: { q: 'x' } },
      {
        type: 'mcp_tool_result',
        tool_use_id: 'm1',
        is_error: true,
        content: [{ type: 'text', text: 'Error: wiki_quota exceeded' }],
      },
    ],
  },
];

const RESPONSES: Item[] = [
  { role: 'user', content: 'Why does the pool hang?' },
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: {
      type: 'search',
      query: 'pgbouncer_pool max_prepared_statements',
      sources: [{ type: 'url', url: 'https://db.example/pooling' }],
    },
  },
  {
    type: 'mcp_call',
    id: 'mcp_1',
    name: 'ask',
    server_label: 'wiki',
    arguments: '{"q":"x"}',
    output: null,
    error: 'Error: wiki_quota exceeded',
    status: 'failed',
  },
];

describe.each<[Format, Item[]]>([
  ['anthropic', ANTHROPIC],
  ['openai-responses', RESPONSES],
])('in %s', (format, items) => {
  const ledger = ledgerOf(normalised(format, items));

  test('their calls are counted', () => {
    expect(ledger.tools.map(({ name, calls }) => [name, calls])).toEqual([
      ['web_search', 1],
      ['wiki__ask', 1],
    ]);
    expect(ledger.calls).toBe(2);
    expect(ledger.open_calls).toEqual([]);
  });

  test('what was asked and found is in the index of names, and nothing that is encrypted', () => {
    const names = ledger.names.map(({ name }) => name);
    expect(names).toContain('pgbouncer_pool');
    expect(names).toContain('max_prepared_statements');
    expect(names).not.toContain('Secret_Bytes');
  });

  test('a call that failed is a failure', () => {
    expect(ledger.failures.map(({ what, lines }) => [what, lines])).toEqual([
      ['wiki__ask ({"q":"x"})', ['Error: wiki_quota exceeded']],
    ]);
  });
});

test('names of documents that a client has put into its messages are known', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'retry_budget is 7' };
  const item = { role: 'user', content: [{ type: 'document', source, title: 'notes' }] };
  const { names } = ledgerOf(normalised('anthropic', [item]));
  expect(names.map(({ name }) => name)).toContain('retry_budget');
});

test('names of files that a client has put into its messages are known', () => {
  const file = { type: 'input_file', filename: 'sales_policy.pdf', file_data: 'JVBERi0x' };
  const item = { role: 'user', content: [{ type: 'input_text', text: 'By this.' }, file] };
  const { names } = ledgerOf(normalised('openai-responses', [item]));
  expect(names.map(({ name }) => name)).toContain('sales_policy.pdf');
});

test.each<[string, JsonObject, object[]]>([
  ['a client runs it', { type: 'tool_use', id: 'a', name: 'Read', input: {} }, []],
  [
    'code of the provider',
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      code: 'print(1)',
      outputs: [{ type: 'logs', logs: '1' }],
    },
    [
      { kind: 'call', id: 'ci_1', name: 'code_interpreter', input: 'print(1)', is_open: false },
      { kind: 'result', of: 'ci_1', text: '1', is_error: false },
    ],
  ],
  [
    'an error inside a result',
    {
      type: 'web_fetch_tool_result',
      tool_use_id: 'a',
      content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' },
    },
    [{ kind: 'result', of: 'a', text: 'url_not_accessible', is_error: true }],
  ],
])('%s', (_, json, uses) => {
  expect(providerTools(json)).toEqual(uses);
});

describe('an answer that comes in a later message than its call', () => {
  const call = {
    type: 'server_tool_use',
    id: 's1',
    name: 'web_fetch',
    input: { url: 'a.example' },
  };
  const answer = (content: object) => ({
    role: 'assistant',
    content: [{ type: 'web_fetch_tool_result', tool_use_id: 's1', content }],
  });
  const begun: Item[] = [
    { role: 'user', content: 'Read a.example.' },
    { role: 'assistant', content: [call] },
  ];
  const fold = (...items: Item[]) => ledgerOf(normalised('anthropic', [...begun, ...items]));

  test('ends its call', () => {
    expect(fold().open_calls).toMatchObject([{ id: 's1', tool: 'web_fetch' }]);
    const ok = { type: 'web_fetch_result', url: 'a.example', content: { type: 'document' } };
    const { open_calls, failures, calls } = fold(answer(ok) as Item);
    expect([open_calls, failures, calls]).toEqual([[], [], 1]);
  });

  test('counts as a failure where it is one', () => {
    const error = { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' };
    const { open_calls, failures } = fold(answer(error) as Item);
    expect(open_calls).toEqual([]);
    expect(failures).toMatchObject([{ key: 'web_fetch a.example', times: 1 }]);
  });
});

describe('the work in a container of the provider', () => {
  let calls = 0;
  const ran = (name: string, input: JsonObject, content: JsonObject): Item => {
    const id = `srv_${++calls}`;
    const answer = { type: `${name}_tool_result`, tool_use_id: id, content };
    return { role: 'assistant', content: [{ type: 'server_tool_use', id, name, input }, answer] };
  };
  const bash = (command: string, stdout: string, return_code: number, stderr = '') => {
    const type = 'bash_code_execution_result';
    return ran('bash_code_execution', { command }, { type, stdout, stderr, return_code });
  };
  const edits = (input: JsonObject, content: JsonObject) =>
    ran('text_editor_code_execution', { path: '/tmp/sum.py', ...input }, content);
  const created = edits(
    { command: 'create', file_text: 'def total(rows):\n    return rows\n' },
    { type: 'text_editor_code_execution_create_result', is_file_update: false },
  );
  const replaced = edits(
    { command: 'str_replace', old_str: 'return rows', new_str: 'return sum(rows)' },
    {
      type: 'text_editor_code_execution_str_replace_result',
      ...{ old_start: 2, old_lines: 1, new_start: 2, new_lines: 1 },
      lines: ['-    return rows', '+    return sum(rows)'],
    },
  );
  const items = normalised('anthropic', [
    { role: 'user', content: 'Write sum.py.' },
    created,
    bash('pytest -q', '1 failed in 0.1s', 1, "E   TypeError: 'int' object is not iterable"),
    replaced,
    bash('pytest -q', '2 passed in 0.1s', 0),
  ]);
  const ledger = ledgerOf(items);

  test('files that were made and edited there are known, with what they hold', () => {
    expect(ledger.files).toMatchObject([{ path: '/tmp/sum.py', is_created: true, edits: 2 }]);
    const text = wholeText('def total(rows):\n    return sum(rows)\n');
    expect(foldWorkspace(items).files).toMatchObject([{ path: '/tmp/sum.py', text }]);
  });

  test('runs are known by the codes that they ended with', () => {
    expect(ledger.runs).toMatchObject([{ command: 'pytest -q', outcome: 'ok' }]);
    expect(ledger.failures).toMatchObject([{ key: 'pytest -q', cure: { files: ['/tmp/sum.py'] } }]);
  });

  test('a file that was shown is known where all of it was shown', () => {
    const shown = (total_lines: number) => {
      const type = 'text_editor_code_execution_view_result';
      const lines = { num_lines: 2, start_line: 1, total_lines };
      const content = { type, file_type: 'text', content: 'a\nb', ...lines };
      return foldWorkspace(normalised('anthropic', [edits({ command: 'view' }, content)])).files;
    };
    expect(shown(2)).toMatchObject([{ path: '/tmp/sum.py', text: wholeText('a\nb') }]);
    expect(shown(9)).toEqual([]);
  });

  test('what a server was told to change is told', () => {
    const call = { type: 'mcp_tool_use', id: 'm1', server_name: 'shop', name: 'cancel_order' };
    const answer = {
      type: 'mcp_tool_result',
      tool_use_id: 'm1',
      is_error: false,
      content: 'Done.',
    };
    const content = [{ ...call, input: { order: 7 } }, answer];
    const { tools } = ledgerOf(normalised('anthropic', [{ role: 'assistant', content }]));
    expect(tools).toMatchObject([{ changed: [{ text: 'cancel_order {"order":7}' }] }]);
  });
});
