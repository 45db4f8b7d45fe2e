import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import type { WireFormat } from '../support/foreign/request-types.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const FORMATS: WireFormat[] = ['anthropic', 'openai-chat', 'openai-responses'];
const PDF = 'JVBERi0xLjQKJeLjz9MK'.repeat(300);

async function contextsOf(format: WireFormat, items: readonly object[]) {
  const id = crypto.randomUUID();
  await send(api, 'POST', '/sessions', { body: { id, format } });
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: { items } });
  expect(reply.status).toBe(201);
  const contexts = new Map<WireFormat, JsonObject[]>();
  for (const target of FORMATS) {
    const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${target}`);
    const context = body.items as JsonObject[];
    contexts.set(target, context);
    const isConverted = target !== format;
    expect(providerProblems(target, context, { isConverted })).toEqual([]);
  }
  return (target: WireFormat) => contexts.get(target) ?? [];
}

function inMessage(block: object): object[] {
  return [{ role: 'user', content: [{ type: 'text', text: 'Read this.' }, block] }];
}

function inResult(block: object): object[] {
  return [
    { role: 'user', content: 'Read this.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [block] }] },
  ];
}

describe('I10: names and ids', () => {
  const names = ['a', 'b'].map((end) => `mcp__knowledge_base__${'search_'.repeat(8)}${end}`);
  const ids = ['a', 'b'].map((end) => `toolu_${'0'.repeat(60)}${end}`);
  const items = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: ids.map((id, n) => ({ type: 'tool_use', id, name: names[n], input: {} })),
    },
    {
      role: 'user',
      content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: id })),
    },
  ];

  it('that are too long are shortened together, always the same, and stay apart', async () => {
    const contexts = await contextsOf('anthropic', items);
    const again = await contextsOf('anthropic', [...items, { role: 'user', content: 'more' }]);
    for (const format of ['openai-chat', 'openai-responses'] as const) {
      expect(JSON.stringify(again(format))).toContain(
        JSON.stringify(contexts(format)).slice(1, -1),
      );
    }
    const outputs = contexts('openai-responses').filter(({ output }) => output);
    const calls = contexts('openai-responses').filter(({ name }) => name);
    expect(calls.map(({ call_id }) => call_id)).toEqual(outputs.map(({ call_id }) => call_id));
    expect(new Set(calls.map(({ name }) => name)).size).toBe(2);
    expect(outputs.map(({ output }) => output)).toEqual(ids);
  });

  it('are what they were in the own format', async () => {
    const contexts = await contextsOf('anthropic', items);
    expect(contexts('anthropic')).toEqual(items);
  });

  it('with letters that Anthropic refuses are replaced there', async () => {
    const contexts = await contextsOf('openai-chat', [
      { role: 'user', content: 'go' },
      ...['call:1/a', 'call:1.a'].flatMap((id) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'a.b', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: id, content: id },
      ]),
    ]);
    expect(JSON.stringify(contexts('anthropic'))).toContain('"name":"a_b"');
  });
});

describe('I10: cache marks', () => {
  const turn = (n: number): JsonObject[] => [
    {
      role: 'user',
      content: [{ type: 'text', text: `turn ${n}`, cache_control: { type: 'ephemeral' } }],
    },
    { role: 'assistant', content: `answer ${n}` },
  ];

  it('of more than four turns: the last four stay', async () => {
    const items = [1, 2, 3, 4, 5, 6, 7].flatMap(turn);
    const context = (await contextsOf('anthropic', items))('anthropic');
    const marked = context.filter((message) => JSON.stringify(message).includes('cache_control'));
    expect(marked).toEqual([4, 5, 6, 7].map((n) => turn(n)[0]));
    expect(context).toHaveLength(14);
  });

  it('inside results count as well', async () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const block = { type: 'text', text: 'out', ...mark };
    const items = [1, 2, 3].flatMap((n) => [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${n}`, name: 'f', input: {}, ...mark }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: [block], ...mark }],
      },
      { role: 'assistant', content: 'ok' },
    ]);
    await contextsOf('anthropic', items);
  });
});

describe('I10: files, sound and what only one provider knows', () => {
  const title = 'Tide tables';
  const base64 = { type: 'base64', media_type: 'application/pdf', data: PDF };

  it.each([
    ['a message', inMessage],
    ['a result', inResult],
  ])('a PDF in %s becomes the file of the other formats', async (_, place) => {
    const contexts = await contextsOf(
      'anthropic',
      place({ type: 'document', source: base64, title }),
    );
    const data = `data:application/pdf;base64,${PDF}`;
    const chat = { type: 'file', file: { filename: title, file_data: data } };
    expect(JSON.stringify(contexts('openai-chat'))).toContain(JSON.stringify(chat));
    const file = { type: 'input_file', filename: title, file_data: data };
    expect(JSON.stringify(contexts('openai-responses'))).toContain(JSON.stringify(file));
  });

  it.each([
    [
      'a text',
      { type: 'text', media_type: 'text/plain', data: 'High tide 14:02' },
      'High tide 14:02',
    ],
    ['blocks', { type: 'content', content: [{ type: 'text', text: 'Low 08:10' }] }, 'Low 08:10'],
    ['a URL', { type: 'url', url: 'https://example.com/t.pdf' }, 'https://example.com/t.pdf'],
    ['a file id', { type: 'file', file_id: 'file_011CNha8iCJcU1wXNR6q4V8w' }, 'file_011CNha'],
  ])('a document that is %s is read as such', async (_, source, expected) => {
    const contexts = await contextsOf('anthropic', inMessage({ type: 'document', source, title }));
    for (const format of ['openai-chat', 'openai-responses'] as const) {
      const text = JSON.stringify(contexts(format));
      expect(text).toContain(expected);
      expect(text).not.toContain('"source"');
      expect(text).not.toContain('\\"type\\"');
    }
  });

  it('files of the OpenAI formats become documents, sound a note', async () => {
    const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` };
    const chat = await contextsOf('openai-chat', inMessage({ type: 'file', file }));
    const document = { type: 'document', source: base64, title: 'a.pdf' };
    expect(JSON.stringify(chat('anthropic'))).toContain(JSON.stringify(document));
    const items = [{ role: 'user', content: [{ type: 'input_file', ...file }] }];
    const responses = await contextsOf('openai-responses', items);
    expect(JSON.stringify(responses('anthropic'))).toContain(JSON.stringify(document));
    const audio = { type: 'input_audio', input_audio: { data: PDF, format: 'wav' } };
    const sound = await contextsOf('openai-chat', inMessage(audio));
    expect(JSON.stringify(sound('anthropic'))).toContain('[audio: wav]');
  });

  it.each<[string, object]>([
    [
      'search result',
      {
        type: 'search_result',
        source: 'https://example.com',
        title,
        content: [{ type: 'text', text: 'x' }],
      },
    ],
    ['container upload', { type: 'container_upload', file_id: 'file_1' }],
    ['image by file id', { type: 'image', source: { type: 'file', file_id: 'file_1' } }],
    ['block of tomorrow', { type: 'hologram_20270101', data: PDF }],
  ])('a %s gives no base64 as text', async (_, block) => {
    const id = crypto.randomUUID();
    await send(api, 'POST', `/sessions/${id}/items`, { body: inMessage(block) });
    for (const format of ['openai-chat', 'openai-responses'] as const) {
      const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${format}`);
      const problems = providerProblems(format, body.items as object[], { isConverted: true });
      expect(problems).toEqual([]);
      expect(JSON.stringify(body.items)).not.toContain(PDF);
    }
  });

  it('a large file does not count as text', async () => {
    const reply = await send(api, 'POST', '/sessions/counted/items', {
      body: inMessage({ type: 'document', source: { ...base64, data: PDF.repeat(100) }, title }),
    });
    expect(reply.body.context).toMatchObject({ tokens: expect.toSatisfy((n) => n < 30_000) });
  });
});
