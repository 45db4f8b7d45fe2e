import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import { ofTokens } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const OF_CLIENT = {
  role: 'system',
  content: 'Environment: linux',
  output_config: { effort: 'medium' },
};

/** How Claude Code sets the effort of a turn. */
const SETS_EFFORT = { role: 'system', content: [], output_config: { effort: 'medium' } };

/** The shape of a turn as Claude Code sends it now: a system message after the user's. */
function turn(n: number, output: string): JsonObject[] {
  const use = { type: 'tool_use', id: `toolu_${n}`, name: 'Bash', input: { command: `make ${n}` } };
  const result = {
    type: 'tool_result',
    tool_use_id: `toolu_${n}`,
    content: output,
    is_error: false,
  };
  return [
    { role: 'assistant', content: [{ type: 'text', text: `Step ${n}.` }, use] },
    { role: 'user', content: [result] },
  ];
}

const SESSION: JsonObject[] = [
  { role: 'user', content: [{ type: 'text', text: 'Why does the build fail?' }] },
  OF_CLIENT,
  ...turn(1, 'ok'),
  {
    role: 'system',
    content: [{ type: 'text', text: 'Tools changed.', cache_control: { type: 'ephemeral' } }],
  },
  { role: 'assistant', content: 'Done.' },
];

async function create(items: readonly JsonObject[], body: object = {}): Promise<string> {
  const id = crypto.randomUUID();
  await send(api, 'POST', '/sessions', { body: { id, ...body } });
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: { items } });
  expect(reply.status).toBe(201);
  return id;
}

async function contextOf(id: string, format = 'anthropic'): Promise<JsonObject[]> {
  const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${format}`);
  return body.items as JsonObject[];
}

describe('A12: role "system" inside the messages of an Anthropic session', () => {
  it('is taken, counted and given back as it came', async () => {
    const id = await create(SESSION);
    expect(await contextOf(id)).toEqual(SESSION);
    const { body } = await send(api, 'GET', `/sessions/${id}/items`);
    const [, logged] = body.data as JsonObject[];
    expect(logged).toMatchObject({ item: OF_CLIENT, tokens: 5 });
  });

  it.each<[string, JsonObject[]]>([
    ['at the head', [OF_CLIENT, ...SESSION.slice(0, 1), ...SESSION.slice(2)]],
    ['between two user messages', [SESSION[0] ?? {}, OF_CLIENT, { role: 'user', content: 'Go.' }]],
    ['twice in a row', [SESSION[0] ?? {}, OF_CLIENT, OF_CLIENT, ...turn(1, 'ok')]],
    [
      'between a call and its result',
      SESSION.slice(0, 1).concat(turn(1, 'ok').toSpliced(1, 0, OF_CLIENT)),
    ],
    ['between two answers', [...SESSION, OF_CLIENT, { role: 'assistant', content: 'More.' }]],
    ['alone', [OF_CLIENT]],
    ['without content', [SESSION[0] ?? {}, { role: 'system', output_config: { effort: 'low' } }]],
    ['with empty content', [SESSION[0] ?? {}, SETS_EFFORT]],
    ['with empty content, before an answer', [SESSION[0] ?? {}, SETS_EFFORT, ...turn(1, 'ok')]],
  ])('%s it gives a valid context in every format', async (_, items) => {
    const id = await create(items);
    for (const format of ['anthropic', 'openai-chat', 'openai-responses'] as const) {
      const context = await contextOf(id, format);
      const isConverted = format !== 'anthropic';
      expect(providerProblems(format, context, { isConverted })).toEqual([]);
      const isSaid = items.some(({ content }) => content === OF_CLIENT.content);
      expect(JSON.stringify(context).includes('Environment: linux')).toBe(isSaid);
    }
  });

  it('is a system message in the OpenAI formats', async () => {
    const id = await create(SESSION);
    const [, chat] = await contextOf(id, 'openai-chat');
    expect(chat).toEqual({ role: 'system', content: 'Environment: linux' });
    const [, item] = await contextOf(id, 'openai-responses');
    expect(item).toMatchObject({ role: 'system', type: 'message' });
  });

  it('is compacted with the rest, and the context stays valid', async () => {
    const items = [...SESSION];
    for (let n = 2; n < 14; n++) items.push(...turn(n, ofTokens(1_500)), OF_CLIENT);
    const id = await create(items, { context_window: SMALL_WINDOW });
    await api.work(api.dispatched.at(-1));
    const { body } = await send(api, 'GET', `/sessions/${id}/compactions`);
    expect(body.data).toMatchObject([{ outcome: expect.stringMatching(/compacted$/) }]);
    const context = await contextOf(id);
    expect(providerProblems('anthropic', context, { isConverted: false })).toEqual([]);
    expect(context.at(-1)).toEqual(OF_CLIENT);
  });

  it('refuses what a system message cannot hold, and says where to put it', async () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const reply = await send(api, 'POST', '/sessions/refused/items', {
      body: [{ role: 'system', content: [image] }],
    });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('put this block into a user message');
  });
});
