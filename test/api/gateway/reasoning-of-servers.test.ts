import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const headers = { 'x-palimpsest-session': 'reasoning' };
const user = { role: 'user', content: 'Read the log.' };
const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } };
const reasoning = {
  reasoning: 'A log is to be read.',
  reasoning_details: [{ type: 'reasoning.encrypted', data: 'sealed', id: 'c1', index: 0 }],
};
const message = { role: 'assistant', content: 'I look.', refusal: null, tool_calls: [call] };
const result = { role: 'tool', tool_call_id: 'c1', content: 'nothing' };

/** The answer of the client in the next request, once something of ours has taken its place. */
async function nextRequest(told: object): Promise<object | undefined> {
  const finish_reason = 'tool_calls';
  const choices = [{ index: 0, finish_reason, message: { ...message, ...reasoning } }];
  lab.provider.verbatim.push({ id: 'gen-1', object: 'chat.completion', choices });
  const body = (...messages: object[]) => ({ model: 'm', messages });
  const { session } = await lab.post('/v1/chat/completions', body(user), headers);
  await expect.poll(() => lab.items(session)).toHaveLength(2);
  const pinned = await send(lab.api, 'POST', `/sessions/${session}/pins`, {
    body: { text: 'Never touch vendor/.' },
  });
  expect(pinned.status, pinned.text).toBe(201);
  const next = await lab.post('/v1/chat/completions', body(user, told, result), headers);
  expect(next.session).toBe(session);
  expect(next.headers.get('palimpsest-status')).toMatch(/^compacted/);
  expect(lab.provider.invalid).toEqual([]);
  return lab.provider.received.at(-1)?.history.find(({ role }) => role === 'assistant');
}

describe('what a server like OpenAI has thought', () => {
  it('goes back with its seals when a context takes the place of the history', async () => {
    const sent = await nextRequest({ ...message, ...reasoning });
    expect(sent).toEqual({
      role: 'assistant',
      content: 'I look.',
      tool_calls: [call],
      ...reasoning,
    });
  });

  it('stays away where the client leaves it out', async () => {
    const sent = await nextRequest(message);
    expect(sent).toEqual({ role: 'assistant', content: 'I look.', tool_calls: [call] });
  });
});
