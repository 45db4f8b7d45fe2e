import { describe, expect, test } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';

function convert(from: Format, to: Format, item: Item): Item[] {
  return codecFor(to).encode(codecFor(from).normalise(item));
}

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } };
const results: Item = {
  role: 'user',
  content: [
    { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'seen' }, image] },
    { type: 'text', text: 'go on' },
  ],
};
const model: Item = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: 'hi' },
    { type: 'tool_use', id: 'a', name: 'container.exec', input: { n: 1 } },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
  ],
};
const searched = '[web_search was called]';
const call = { name: 'container_exec', arguments: '{"n":1}' };

describe('from anthropic', () => {
  test('to chat: results first, their images in the user message after them', () => {
    expect(convert('anthropic', 'openai-chat', results)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'seen\n[image]' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  test('to chat: thinking is dropped, tools of the provider are told', () => {
    expect(convert('anthropic', 'openai-chat', model)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: searched },
        ],
        tool_calls: [{ id: 'a', type: 'function', function: call }],
      },
    ]);
  });

  test('to responses: one item a call and a result', () => {
    const said = (text: string) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text }],
    });
    expect(convert('anthropic', 'openai-responses', model)).toEqual([
      said('hi'),
      { type: 'function_call', call_id: 'a', ...call },
      said(searched),
    ]);
    expect(convert('anthropic', 'openai-responses', results)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'seen' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,QUJD' },
        ],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ]);
  });
});

describe('arguments between the formats of OpenAI', () => {
  const text = '{ "id": 9007199254740993 }';
  const asChat = (body: string): Item => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: body } }],
  });
  const asItem = (body: string): Item => ({
    type: 'function_call',
    call_id: 'a',
    name: 'f',
    arguments: body,
  });

  test('are the text that came', () => {
    expect(convert('openai-chat', 'openai-responses', asChat(text))).toEqual([asItem(text)]);
    expect(convert('openai-responses', 'openai-chat', asItem(text))).toEqual([asChat(text)]);
    const legacy = { role: 'assistant', function_call: { name: 'f', arguments: text } };
    expect(convert('openai-chat', 'openai-responses', legacy)).toEqual([
      { ...asItem(text), call_id: 'function_call:f' },
    ]);
  });

  test.each(['[1]', '{"cut', '7'])('are wrapped when they are no object: %s', (body) => {
    const [item] = convert('openai-chat', 'openai-responses', asChat(body));
    expect(JSON.parse(String(item?.arguments))).toHaveProperty('input');
  });

  test('are the input of a tool_use block, whatever else the block holds', () => {
    const block = { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 }, arguments: '{}' };
    const item = { role: 'assistant', content: [block] };
    expect(convert('anthropic', 'openai-responses', item)).toEqual([asItem('{"n":1}')]);
  });
});

describe('to anthropic', () => {
  test('a system message becomes labelled user text', () => {
    const item = { role: 'developer', content: 'be brief' };
    expect(JSON.stringify(convert('openai-chat', 'anthropic', item))).toContain(
      'System instructions',
    );
  });

  test('an image comes back as it was', () => {
    const url = { type: 'input_image', image_url: 'data:image/png;base64,QUJD' };
    const item = { role: 'user', content: [url] };
    expect(convert('openai-responses', 'anthropic', item)).toEqual([
      { role: 'user', content: [image] },
    ]);
  });

  test('input that is no object is wrapped', () => {
    const item = { type: 'custom_tool_call', call_id: 'a.b', name: 'f', input: 'raw' };
    expect(convert('openai-responses', 'anthropic', item)).toEqual([
      {
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: expect.stringMatching(/^a_b_[a-z0-9]+$/),
            name: 'f',
            input: { input: 'raw' },
          },
        ],
      },
    ]);
  });

  test('results stay with their calls when ids differ in forbidden characters only', () => {
    const ids = ['a_b', 'a.b', 'a/b'];
    const calls: Item = {
      role: 'assistant',
      tool_calls: ids.map((id) => ({
        id,
        type: 'function',
        function: { name: 'f', arguments: JSON.stringify({ asks: id }) },
      })),
    };
    const answers = ids.map((id): Item => ({ role: 'tool', tool_call_id: id, content: id }));
    const [asked, ...answered] = codecFor('anthropic')
      .render([calls, ...answers].flatMap((item) => convert('openai-chat', 'anthropic', item)))
      .slice(1)
      .map((message) => codecFor('anthropic').normalise(message))
      .map((message) => (message.kind === 'message' ? message.parts : []));
    const asks = new Map(
      asked?.flatMap((part) => (part.kind === 'tool_call' ? [[part.id, part.input]] : [])),
    );
    const pairs = answered
      .flat()
      .map((part) => part.kind === 'tool_result' && [asks.get(part.call_id), part.content]);
    expect(pairs).toEqual(ids.map((id) => [{ asks: id }, [{ kind: 'text', text: id }]]));
    expect(asks.has('a_b')).toBe(true);
  });

  test('a reasoning item alone leaves nothing', () => {
    expect(convert('openai-responses', 'anthropic', { type: 'reasoning', summary: [] })).toEqual(
      [],
    );
  });
});

test.each<[Format, Item]>([
  ['anthropic', { role: 'user', content: 'x', is_meta: true }],
  ['openai-chat', { role: 'user', content: 'x', is_meta: true }],
  [
    'openai-responses',
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }], is_meta: true },
  ],
])('%s writes a text message with our own fields', (format, expected) => {
  expect(codecFor(format).message('user', 'x', { is_meta: true })).toEqual(expected);
});

describe('the name of a user', () => {
  const said = { role: 'user', name: 'Anna', content: 'Stop the build.' };
  const image_url = { url: 'data:image/png;base64,QUJD' };
  const shown = { ...said, content: [{ type: 'image_url', image_url }] };

  test('stands before the words where the format has no field for it', () => {
    expect(convert('openai-chat', 'anthropic', said)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Anna: Stop the build.' }] },
    ]);
    const text = { type: 'input_text', text: 'Anna: Stop the build.' };
    expect(convert('openai-chat', 'openai-responses', said)).toEqual([
      { type: 'message', role: 'user', content: [text] },
    ]);
  });

  test('stands before a picture', () => {
    expect(convert('openai-chat', 'anthropic', shown)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Anna:' }, image] },
    ]);
  });
});

test.each<Format>(['openai-chat', 'anthropic', 'ai-sdk'])(
  'to %s: what only sets the tools or the effort of the Responses API says nothing',
  (to) => {
    const settings: Item[] = [
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [{ type: 'custom', name: 'exec', description: 'Runs JavaScript.' }],
      },
      { type: 'configuration_update', reasoning: { effort: 'high' } },
    ];
    const asked: Item = { role: 'user', content: 'Mend it.' };
    const rendered = codecFor(to).render([
      ...settings.flatMap((item) => convert('openai-responses', to, item)),
      ...convert('openai-responses', to, asked),
    ]);
    expect(rendered).toEqual(codecFor(to).render(convert('openai-responses', to, asked)));
  },
);
