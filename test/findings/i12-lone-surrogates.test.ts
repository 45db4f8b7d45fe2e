import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const HALF = 'cut \ud83d';
const items = [
  { role: 'user', content: HALF },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 't', name: 'f', input: { [HALF]: [HALF, 'whole 👩‍👧'] } }],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: HALF }] },
];

describe('I12: lone surrogates', () => {
  it.each(['anthropic', 'openai-chat', 'openai-responses'] as const)(
    'never reach a provider: %s',
    async (format) => {
      const id = crypto.randomUUID();
      await send(api, 'POST', `/sessions/${id}/items`, { body: items });
      const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${format}`);
      const context = body.items as object[];
      const isConverted = format !== 'anthropic';
      expect(providerProblems(format, context, { isConverted })).toEqual([]);
      expect(JSON.stringify(context)).toContain('cut \ufffd');
      expect(JSON.stringify(context)).toContain('whole 👩‍👧');
    },
  );

  it('are still in the log as they came', async () => {
    await send(api, 'POST', '/sessions/kept/items', { body: items });
    const { body } = await send(api, 'GET', '/sessions/kept/items');
    expect(body.data).toMatchObject([{ item: { content: HALF } }, {}, {}]);
  });
});
