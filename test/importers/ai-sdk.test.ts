import { convertToModelMessages, type ModelMessage, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { bytesOf, jsonLines, readOne } from './fixtures.ts';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';

/** A chat as `useChat` keeps it: two answers of the model, and what its tools have said, in one message. */
const SHOWN: UIMessage[] = [
  { id: '0', role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
  {
    id: '1',
    role: 'user',
    parts: [
      { type: 'text', text: 'What is in these?' },
      { type: 'file', mediaType: 'image/png', url: PNG },
    ],
  },
  {
    id: '2',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Two files.' },
      { type: 'text', text: 'I read both.' },
      {
        type: 'tool-read',
        toolCallId: 'a',
        state: 'output-available',
        input: { path: 'a.txt' },
        output: 'What a.txt says',
      },
      {
        type: 'dynamic-tool',
        toolName: 'list',
        toolCallId: 'b',
        state: 'output-available',
        input: { folder: '.' },
        output: { files: ['a.txt'] },
      },
      { type: 'step-start' },
      {
        type: 'tool-read',
        toolCallId: 'c',
        state: 'output-error',
        input: { path: 'c.txt' },
        errorText: 'There is no c.txt',
      },
      { type: 'step-start' },
      { type: 'text', text: 'Only a.txt is there.' },
    ],
  },
  { id: '3', role: 'user', parts: [{ type: 'text', text: 'Thanks.' }] },
];

const call = (id: string, name: string, input: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
const ITEMS = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is in these?' },
      { type: 'image_url', image_url: { url: PNG } },
    ],
  },
  {
    role: 'assistant',
    content: 'I read both.',
    reasoning_content: 'Two files.',
    tool_calls: [call('a', 'read', { path: 'a.txt' }), call('b', 'list', { folder: '.' })],
  },
  { role: 'tool', tool_call_id: 'a', content: 'What a.txt says' },
  { role: 'tool', tool_call_id: 'b', content: '{"files":["a.txt"]}' },
  { role: 'assistant', content: null, tool_calls: [call('c', 'read', { path: 'c.txt' })] },
  { role: 'tool', tool_call_id: 'c', content: 'There is no c.txt' },
  { role: 'assistant', content: 'Only a.txt is there.' },
  { role: 'user', content: 'Thanks.' },
];

describe('messages of the AI SDK', () => {
  it('are read as a page shows them', () => {
    const read = readOne('chat.json', bytesOf(JSON.stringify({ id: 'x', messages: SHOWN })));
    expect(read).toMatchObject({ source: 'ai-sdk', format: 'openai-chat', skipped: { id: 1 } });
    expect(read.items).toEqual(ITEMS);
    expect(readOne('chat.jsonl', jsonLines(SHOWN)).items).toEqual(ITEMS);
  });

  it('are read the same as the SDK sends them to a model', async () => {
    const sent: ModelMessage[] = await convertToModelMessages(SHOWN);
    const read = readOne('sent.json', bytesOf(JSON.stringify(sent)));
    expect(read).toMatchObject({ source: 'ai-sdk', skipped: {} });
    expect(read.items).toEqual(ITEMS);
  });

  it('of version 4 keep their calls and results', () => {
    const toolInvocation = {
      state: 'result',
      toolCallId: 'a',
      toolName: 'read',
      args: { path: 'a.txt' },
      result: null,
    };
    const answer = { id: '2', role: 'assistant', content: 'It is empty.' };
    const user = { id: '1', role: 'user', content: 'Read a.txt' };
    const expected = [
      { role: 'user', content: 'Read a.txt' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('a', 'read', { path: 'a.txt' })],
      },
      { role: 'tool', tool_call_id: 'a', content: 'null' },
      { role: 'assistant', content: 'It is empty.' },
    ];
    for (const more of [
      { toolInvocations: [toolInvocation] },
      { parts: [{ type: 'tool-invocation', toolInvocation }] },
      {
        toolInvocations: [toolInvocation],
        parts: [
          { type: 'tool-invocation', toolInvocation },
          { type: 'text', text: 'It is empty.' },
        ],
      },
    ]) {
      expect(readOne('v4.json', jsonLines([user, { ...answer, ...more }])).items).toEqual(expected);
    }
  });

  it('are counted where they hold what cannot be told', () => {
    const read = readOne(
      'x.json',
      jsonLines([
        { role: 'user', parts: [{ type: 'text', text: 'Look it up' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'source-url', sourceId: 's', url: 'https://example.com' },
            { type: 'data-weather', data: {} },
            { type: 'tool-read', toolCallId: 'a', state: 'input-available', input: {} },
          ],
        },
        { role: 'data', parts: [{ type: 'text', text: 'x' }] },
      ]),
    );
    expect(read.items).toHaveLength(2);
    expect(read.skipped).toEqual({ 'part:source-url': 1, 'part:data-weather': 1, 'role:data': 1 });
  });
});

// As `convertToModelMessages` of version 7 writes them.
describe('files of version 7', () => {
  const read = (...parts: object[]) => {
    const messages = [{ role: 'user', content: parts }];
    return readOne('chat.json', bytesOf(JSON.stringify(messages)));
  };
  const file = (mediaType: string, data: object) => ({ type: 'file', mediaType, data });

  it.each<[string, object, object]>([
    [
      'a picture by its address',
      file('image/png', { type: 'url', url: PNG }),
      { type: 'image_url', image_url: { url: PNG } },
    ],
    [
      'a picture by its bytes',
      file('image', { type: 'data', data: 'iVBORw0KGgo=' }),
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ],
    [
      'a file by its bytes',
      file('application/pdf', { type: 'data', data: 'JVBERi0=' }),
      {
        type: 'file',
        file: { filename: 'file', file_data: 'data:application/pdf;base64,JVBERi0=' },
      },
    ],
    [
      'a file by its address, which the format cannot carry',
      file('application/pdf', { type: 'url', url: 'https://a.example/b.pdf' }),
      { type: 'text', text: '[file file: https://a.example/b.pdf]' },
    ],
    [
      'a text',
      file('text/plain', { type: 'text', text: 'Words' }),
      { type: 'text', text: 'file:\nWords' },
    ],
  ])('%s', (_, part, expected) => {
    const { items, skipped } = read(part);
    expect(items[0]).toEqual({ role: 'user', content: [expected] });
    expect(skipped).toEqual({});
  });
});

it('tells why the user did not let a tool run', () => {
  const tool = { type: 'tool-rm', toolCallId: 'a', state: 'output-denied', input: {} };
  const approval = { id: 'p', approved: false, reason: 'Not that one.' };
  const message = { id: '1', role: 'assistant', parts: [{ ...tool, approval }] };
  const { items } = readOne('chat.json', bytesOf(JSON.stringify([message])));
  expect(items[1]).toEqual({
    role: 'tool',
    tool_call_id: 'a',
    content: 'Tool call execution denied: Not that one.',
    is_error: true,
  });
});
