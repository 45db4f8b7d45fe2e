import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { ofTokens } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const ask = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' };
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'exec_command',
  arguments: '{"cmd":"ls"}',
  status: 'completed',
};
const output = { type: 'function_call_output', call_id: 'call_1', output: 'src' };

async function append(id: string, format: string, items: object[]): Promise<void> {
  const body = { id, format, context_window: 16_000 };
  if ((await send(api, 'GET', `/sessions/${id}`)).status === 404) {
    await send(api, 'POST', '/sessions', { body });
  }
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: { items } });
  expect(reply.status).toBe(201);
}

async function context(id: string): Promise<JsonObject[]> {
  const { body } = await send(api, 'GET', `/sessions/${id}/context`);
  return Array.isArray(body.items) ? body.items.filter(isJsonObject) : [];
}

async function compact(id: string): Promise<void> {
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  for (const job of api.dispatched.splice(0)) await api.work(job);
}

describe('B11: reasoning without what it led to is not given out', () => {
  it('at the end of a Responses context, and is there again when its item is', async () => {
    await append('r', 'openai-responses', [ask, reasoning]);
    expect(await context('r')).toEqual([ask]);
    await append('r', 'openai-responses', [call]);
    expect((await context('r')).slice(0, 2)).toEqual([ask, reasoning]);
    await append('r', 'openai-responses', [output, { ...reasoning, id: 'rs_2' }]);
    expect((await context('r')).map(({ type }) => type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
    ]);
  });

  it('nor when outputs of earlier calls were logged between: they go before it', async () => {
    const second = { ...call, id: 'fc_2', call_id: 'call_2' };
    const between = [ask, call, reasoning, output];
    await append('o', 'openai-responses', between);
    expect(await context('o')).not.toContainEqual(reasoning);
    await append('o', 'openai-responses', [second, { ...output, call_id: 'call_2' }]);
    expect((await context('o')).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
      'reasoning',
      'function_call',
      'function_call_output',
    ]);
  });

  it('is not summarised away before its call comes', async () => {
    const long = { type: 'message', role: 'user', content: ofTokens(3_000) };
    await append('c', 'openai-responses', [long, ask, reasoning]);
    await compact('c');
    await append('c', 'openai-responses', [call, output, ask]);
    const types = (await context('c')).map(({ type }) => type);
    expect(types.slice(-4)).toEqual([
      'reasoning',
      'function_call',
      'function_call_output',
      'message',
    ]);
  });

  it('in Anthropic messages neither, where a message would end with thinking', async () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const use = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } };
    const user = { role: 'user', content: 'Fix it.' };
    await append('a', 'anthropic', [user, { role: 'assistant', id: 'm', content: [thinking] }]);
    expect(await context('a')).toEqual([user]);
    await append('a', 'anthropic', [{ role: 'assistant', id: 'm', content: [use] }]);
    expect(await context('a')).toEqual([user, { role: 'assistant', content: [thinking, use] }]);
  });

  it('nor the reasoning_content of a chat message that says nothing', async () => {
    const user = { role: 'user', content: 'Fix it.' };
    await append('k', 'openai-chat', [
      user,
      { role: 'assistant', content: null, reasoning_content: 'Hm.' },
    ]);
    expect(await context('k')).toEqual([user]);
  });
});
