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

async function contextsOf(format: WireFormat, items: readonly object[]) {
  const id = crypto.randomUUID();
  await send(api, 'POST', '/sessions', { body: { id, format } });
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: { items } });
  expect(reply.status, reply.text).toBe(201);
  const contexts = new Map<WireFormat, JsonObject[]>();
  for (const target of FORMATS) {
    const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${target}`);
    const context = body.items as JsonObject[];
    contexts.set(target, context);
    expect(providerProblems(target, context, { isConverted: target !== format })).toEqual([]);
  }
  return (target: WireFormat) => contexts.get(target) ?? [];
}

const blocksOf = (context: JsonObject[], type: string): JsonObject[] =>
  context
    .flatMap(({ content }) => (Array.isArray(content) ? (content as JsonObject[]) : []))
    .filter((block) => block.type === type);

describe('I10: ids of tool calls that Anthropic refuses', () => {
  /** As Kimi, Gemini's compatible servers and LiteLLM give them out. */
  const ids = ['functions.Read:0', 'functions.Read:1', 'functions_Read_1', 'call|1/ä', 'toolu_01'];
  const items = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: { id } })),
    },
    {
      role: 'user',
      content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` })),
    },
    { role: 'assistant', content: 'done' },
  ];

  it('are written in its letters in a session of its own format, call and result alike', async () => {
    const context = (await contextsOf('anthropic', items))('anthropic');
    const calls = blocksOf(context, 'tool_use');
    const results = blocksOf(context, 'tool_result');
    expect(calls.map(({ input }) => (input as JsonObject).id)).toEqual(ids);
    for (const { id } of calls) expect(String(id)).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(ids.length);
    expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(calls.map(({ id }) => id));
    expect(results.map(({ content }) => content)).toEqual(ids.map((id) => `of ${id}`));
    expect(calls[2]?.id).toBe('functions_Read_1');
    expect(calls[4]?.id).toBe('toolu_01');
  });

  it('keep what they became when the conversation goes on', async () => {
    const before = (await contextsOf('anthropic', items))('anthropic');
    const more = [...items, { role: 'user', content: 'more' }];
    const after = (await contextsOf('anthropic', more))('anthropic');
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it('stay as they are where other providers take them', async () => {
    const chat = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'functions.Read:0', type: 'function', function: { name: 'Read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'functions.Read:0', content: 'x' },
    ];
    expect((await contextsOf('openai-chat', chat))('openai-chat')).toEqual(chat);
  });
});

describe('I10: names of tools', () => {
  const chatCall = (id: string, name: string) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: name },
  ];
  const namesIn = (format: WireFormat, context: JsonObject[]): string[] => {
    const calls =
      format === 'anthropic'
        ? blocksOf(context, 'tool_use')
        : context.filter(({ type }) => type === 'function_call');
    return calls.map(({ name }) => String(name));
  };

  it.each(['anthropic', 'openai-responses'] as const)(
    'that differ in letters which %s refuses stay apart',
    async (target) => {
      const names = ['a_b', 'a.b', 'a:b', 'a.b', 'a_b', 'files.read'];
      const items = [
        { role: 'user', content: 'go' },
        ...names.flatMap((name, n) => chatCall(`c${n}`, name)),
      ];
      const id = crypto.randomUUID();
      await send(api, 'POST', '/sessions', { body: { id, format: 'openai-chat' } });
      await send(api, 'POST', `/sessions/${id}/items`, { body: { items } });
      const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${target}`);
      const context = body.items as JsonObject[];
      expect(providerProblems(target, context, { isConverted: true })).toEqual([]);
      const found = namesIn(target, context);
      // A name that is fit stays, and so does one that nothing else comes to.
      expect([found[0], found[4], found[5]]).toEqual(['a_b', 'a_b', 'files_read']);
      expect(found[1]).toBe(found[3]);
      expect(new Set(found).size).toBe(4);
    },
  );

  it('of two namespaces stay apart', async () => {
    const items = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
      ...['mcp__docs__', 'mcp__wiki__'].flatMap((namespace, n) => [
        { type: 'function_call', call_id: `c${n}`, namespace, name: 'search', arguments: '{}' },
        { type: 'function_call_output', call_id: `c${n}`, output: namespace },
      ]),
    ];
    const contexts = await contextsOf('openai-responses', items);
    expect(namesIn('anthropic', contexts('anthropic'))).toEqual([
      'mcp__docs__search',
      'mcp__wiki__search',
    ]);
    expect(contexts('openai-responses')).toEqual(items);
  });
});

describe('I10: what the user was asked and did not answer', () => {
  const said = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
  const request = {
    type: 'mcp_approval_request',
    id: 'mcpr_1',
    server_label: 'docs',
    name: 'delete_page',
    arguments: '{"page":7}',
  };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' };

  it('is left out once the conversation has gone on', async () => {
    const items = [
      said('user', 'Tidy up.'),
      reasoning,
      request,
      said('user', 'Never mind, tell me the time.'),
      said('assistant', 'Noon.'),
    ];
    const contexts = await contextsOf('openai-responses', items);
    expect(contexts('openai-responses')).toEqual([items[0], items[3], items[4]]);
    for (const format of FORMATS) {
      const text = JSON.stringify(contexts(format));
      expect(text).not.toMatch(/"approve"|Not approved/);
    }
  });

  it('stays while it is open, and with its answer', async () => {
    const open = [said('user', 'Tidy up.'), reasoning, request];
    expect((await contextsOf('openai-responses', open))('openai-responses')).toEqual(open);
    const answer = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false };
    const answered = [...open, answer, said('assistant', 'As you like.')];
    expect((await contextsOf('openai-responses', answered))('openai-responses')).toEqual(answered);
  });

  it('is not decided by an output of another kind', async () => {
    const items = [
      said('user', 'Tidy up.'),
      request,
      { type: 'function_call_output', call_id: 'mcpr_1', output: 'whatever' },
      said('user', 'And now?'),
    ];
    const context = (await contextsOf('openai-responses', items))('openai-responses');
    expect(context).toEqual([items[0], items[3]]);
  });
});
