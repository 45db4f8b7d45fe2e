import { afterEach, beforeEach, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

/** Gemini, by its address for Chat Completions, refuses results of tools without the name of the tool. */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const headers = { 'x-palimpsest-session': 'names' };
const user = (content: string) => ({ role: 'user', content });
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
});
const post = (messages: object[], more: Record<string, string> = {}) =>
  lab.post('/v1/chat/completions', { model: 'gemini-3', messages }, { ...headers, ...more });
const results = () => lab.provider.received.at(-1)?.history.filter(({ role }) => role === 'tool');

it('keeps those of the client, and names what stands in for a result that is missing', async () => {
  const named = { role: 'tool', tool_call_id: 'c1', name: 'read', content: 'nothing' };
  const history = [user('Read the log.'), call('c1'), named, call('c2'), user('Stop, and go on.')];
  const { session } = await post(history.slice(0, 1));
  const pinned = await send(lab.api, 'POST', `/sessions/${session}/pins`, {
    body: { text: 'Never touch vendor/.' },
  });
  expect(pinned.status, pinned.text).toBe(201);
  const next = await post(history);
  expect(next.headers.get('palimpsest-status')).toMatch(/^compacted/);
  expect(results()).toEqual([
    named,
    expect.objectContaining({ tool_call_id: 'c2', name: 'read', content: expect.any(String) }),
  ]);
  expect(lab.provider.invalid).toEqual([]);
});

it('names what was looked up for the model', async () => {
  const name = 'palimpsest_search_history';
  lab.provider.script = (_, index) =>
    index === 0
      ? { text: '', calls: [{ id: 'own', name, input: { query: 'port' } }] }
      : { text: 'It is 8080.' };
  await post([user('Which port?')], { 'x-palimpsest-recall': 'on' });
  expect(results()).toEqual([expect.objectContaining({ tool_call_id: 'own', name })]);
});
