import { describe, expect, test } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../../src/domain/items/item.ts';
import { readUsage } from '../../../src/domain/items/usage.ts';
import type { Json } from '../../../src/domain/json.ts';

function message(role: 'system' | 'user' | 'assistant', parts: unknown[], more = {}): unknown {
  const flags = { is_meta: false, is_compact_summary: false, is_api_error_message: false };
  return { kind: 'message', role, parts, ...flags, ...more };
}
const text = (value: string) => ({ kind: 'text', text: value });
const normalise = (format: Format, item: Item): Normalised => codecFor(format).normalise(item);

test('Chat Completions: parts of text as others name them are texts', () => {
  const content = ['text', 'input_text', 'output_text', 'tool_output'].map((type) => ({
    type,
    text: type,
  }));
  expect(normalise('openai-chat', { role: 'user', content })).toMatchObject({
    parts: content.map((part) => text(part.text)),
  });
  const reasoning = { type: 'reasoning', text: 'hm' };
  expect(normalise('openai-chat', { role: 'user', content: [reasoning] })).toMatchObject({
    parts: [{ kind: 'opaque', json: reasoning }],
  });
});

describe('anthropic', () => {
  test('blocks of an assistant message', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const call = { type: 'tool_use', id: 'a', name: 'Read', input: { path: 'x' } };
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const item = {
      role: 'assistant',
      id: 'msg_1',
      model: 'm',
      agent_id: 'sub',
      is_meta: true,
      content: [thinking, { type: 'text', text: 'hi' }, call, search],
      usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 },
    };
    expect(normalise('anthropic', item)).toEqual(
      message(
        'assistant',
        [
          { kind: 'thinking', text: 'hm', source: thinking },
          text('hi'),
          { kind: 'tool_call', id: 'a', name: 'Read', input: { path: 'x' }, source: call },
          { kind: 'opaque', json: search },
        ],
        {
          id: 'msg_1',
          model: 'm',
          agent_id: 'sub',
          is_meta: true,
          usage: { input: 1, output: 2, cache_read: 3, cache_creation: 0 },
        },
      ),
    );
  });

  test('tool results with text, images and documents', () => {
    const document = { type: 'document', source: { type: 'text', data: 'd' } };
    const image = { type: 'image', width: 4, source: { type: 'url', url: 'https://e.org/i' } };
    const content = [{ type: 'text', text: 'ok' }, image, document];
    const block = { type: 'tool_result', tool_use_id: 'a', content, is_error: true };
    expect(normalise('anthropic', { role: 'user', content: [block] })).toEqual(
      message('user', [
        {
          kind: 'tool_result',
          call_id: 'a',
          is_error: true,
          content: [
            text('ok'),
            { kind: 'image', width: 4, source: { kind: 'url', url: 'https://e.org/i' } },
            { kind: 'opaque', json: document },
          ],
        },
      ]),
    );
  });
});

describe('openai-chat', () => {
  test('arguments as string, as object, and such that do not parse', () => {
    const call = (id: string, input: Json) => ({ id, function: { name: 'f', arguments: input } });
    const item = {
      role: 'assistant',
      content: null,
      tool_calls: [call('a', '{"n":1}'), call('b', { n: 2 }), call('c', '{"n":')],
    };
    const normalised = normalise('openai-chat', item);
    const inputs = normalised.kind === 'message' ? normalised.parts : [];
    expect(inputs).toMatchObject([
      { kind: 'tool_call', id: 'a', name: 'f', input: { n: 1 } },
      { kind: 'tool_call', id: 'b', input: { n: 2 } },
      { kind: 'tool_call', id: 'c', input: '{"n":' },
    ]);
  });

  test('a tool message is a user message with one result', () => {
    const item = { role: 'tool', tool_call_id: 'a', content: 'out' };
    const result = { kind: 'tool_result', call_id: 'a', content: [text('out')], is_error: false };
    expect(normalise('openai-chat', item)).toEqual(message('user', [result]));
  });

  test('a data URL is taken apart', () => {
    const url = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } };
    expect(normalise('openai-chat', { role: 'user', content: [url] })).toEqual(
      message('user', [
        { kind: 'image', source: { kind: 'base64', media_type: 'image/png', data: 'QUJD' } },
      ]),
    );
  });

  test('developer is a system role', () => {
    const item = { role: 'developer', content: 'x' };
    expect(normalise('openai-chat', item)).toEqual(message('system', [text('x')]));
  });
});

describe('openai-responses', () => {
  const shell = { type: 'local_shell_call', id: 'l', call_id: 'a', action: { command: ['ls'] } };
  const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
  const search = { type: 'web_search_call', status: 'completed' };
  const cases: [Item, unknown][] = [
    [{ role: 'user', content: 'x' }, message('user', [text('x')])],
    [reasoning, message('assistant', [{ kind: 'thinking', text: 'hm', source: reasoning }])],
    [search, message('assistant', [{ kind: 'opaque', json: search }])],
    [
      shell,
      message(
        'assistant',
        [
          {
            kind: 'tool_call',
            id: 'a',
            other_id: 'l',
            name: 'local_shell',
            input: { command: ['ls'] },
            source: shell,
          },
        ],
        { id: 'l' },
      ),
    ],
    [
      { type: 'local_shell_call_output', id: 'a', output: 'files' },
      message(
        'user',
        [{ kind: 'tool_result', call_id: 'a', content: [text('files')], is_error: false }],
        { id: 'a' },
      ),
    ],
    [
      {
        type: 'function_call_output',
        call_id: 'a',
        success: false,
        output: [{ type: 'input_text', text: 'bad' }],
      },
      message('user', [
        { kind: 'tool_result', call_id: 'a', content: [text('bad')], is_error: true },
      ]),
    ],
    [
      {
        type: 'shell_call_output',
        call_id: 'a',
        output: [{ stdout: 'o', stderr: 'e', outcome: { type: 'exit', exit_code: 1 } }],
      },
      message('user', [
        {
          kind: 'tool_result',
          call_id: 'a',
          content: [text('o'), text('e'), text('[The command finished with exit code 1.]')],
          is_error: true,
        },
      ]),
    ],
  ];
  test.each(cases)('%j', (item, expected) => {
    expect(normalise('openai-responses', item)).toEqual(expected);
  });
});

describe('control items', () => {
  test('an attachment carries its text; structured content becomes indented JSON', () => {
    const file = { kind: 'file', filename: 'a.ts', content: 'x' };
    expect(normalise('anthropic', { type: 'attachment', attachment: file })).toEqual({
      kind: 'attachment',
      attachment: 'file',
      path: 'a.ts',
      text: 'x',
      is_empty: false,
    });
    const todo = { kind: 'todo', todos: [{ content: 'x' }] };
    expect(normalise('anthropic', { type: 'attachment', attachment: todo })).toMatchObject({
      text: '[\n  {\n    "content": "x"\n  }\n]',
    });
  });

  test.each<[Json, boolean]>([
    ['  \n', true],
    [[], true],
    [{}, true],
    ['x', false],
    [0, false],
  ])('content %j is empty: %s', (content, isEmpty) => {
    const item = { type: 'attachment', attachment: { kind: 'plan', content } };
    expect(normalise('openai-chat', item)).toMatchObject({ is_empty: isEmpty });
  });
});

describe('usage', () => {
  const read = (input: number, output: number, cache_read = 0, cache_creation = 0) => ({
    input,
    output,
    cache_read,
    cache_creation,
  });
  const main = { type: 'message', input_tokens: 23, output_tokens: 5 };
  const compaction = { type: 'compaction', input_tokens: 180_000, output_tokens: 3000 };
  const cases: [string, Json, unknown][] = [
    [
      'Anthropic counts the cache beside the input',
      {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: null,
      },
      read(1, 2, 30),
    ],
    [
      'Responses counts the cache inside the input',
      { input_tokens: 100, output_tokens: 2, input_tokens_details: { cached_tokens: 90 } },
      read(100, 2),
    ],
    [
      'Chat counts the cache inside the prompt',
      {
        prompt_tokens: 100,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 90 },
      },
      read(100, 2),
    ],
    [
      'the iteration beside a compaction counts',
      { input_tokens: 9, output_tokens: 9, iterations: [compaction, main] },
      read(23, 5),
    ],
    [
      'iterations without compaction change nothing',
      { input_tokens: 50, output_tokens: 9, iterations: [main, main] },
      read(50, 9),
    ],
    [
      'only a compaction',
      { input_tokens: 9, output_tokens: 9, iterations: [compaction] },
      undefined,
    ],
    ['all zero', { input_tokens: 0, output_tokens: 0 }, undefined],
    ['a figure that is no number', { input_tokens: 5, output_tokens: '7' }, undefined],
    ['a negative figure', { input_tokens: -5, output_tokens: 7 }, undefined],
    ['a fraction', { input_tokens: 5.5, output_tokens: 7 }, undefined],
    ['no input', { output_tokens: 7 }, undefined],
    ['no object', 'lots', undefined],
  ];
  test.each(cases)('%s', (_, usage, expected) => {
    expect(readUsage(usage)).toEqual(expected);
  });
});

test('a computer call of several actions keeps them', () => {
  const actions = [{ type: 'click', x: 1, y: 2, button: 'left' }, { type: 'screenshot' }];
  const item = { type: 'computer_call', id: 'cu_1', call_id: 'c', actions, status: 'completed' };
  const call = { kind: 'tool_call', id: 'c', name: 'computer', input: { actions }, source: item };
  expect(normalise('openai-responses', item)).toEqual(message('assistant', [call], { id: 'cu_1' }));
});
