import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const sessions = async () => (await lab.api.deps.store.sessions('local', { limit: 9 })).data;
const body = (messages: object[]) => ({ model: 'm', messages });

describe('a server that gives its calls no ids', () => {
  const call = (path: string, id: object) => ({
    type: 'function',
    function: { name: 'read', arguments: JSON.stringify({ path }) },
    ...id,
  });

  it.each([
    ['leaves them out', {}, {}],
    ['leaves them empty', { id: '' }, { tool_call_id: '' }],
  ])('has one session, and contexts that are valid (it %s)', async (_, id, of) => {
    const messages: object[] = [{ role: 'user', content: 'Read the logs.' }];
    let session = '';
    for (let round = 0; round < 3; round++) {
      const tool_calls = [call(`a-${round}`, id), call(`b-${round}`, id)];
      const message = { role: 'assistant', content: '', tool_calls };
      const choices = [{ index: 0, finish_reason: 'tool_calls', message }];
      lab.provider.verbatim.push({ id: `gen-${round}`, object: 'chat.completion', choices });
      const answer = await lab.post('/v1/chat/completions', body(messages));
      expect(answer.headers.get('palimpsest-status')).toBe('forwarded');
      session = answer.session;
      messages.push(message);
      await expect.poll(() => lab.items(session)).toHaveLength(messages.length);
      for (const name of ['a', 'b'])
        messages.push({ role: 'tool', content: `of ${name}-${round}`, ...of });
    }
    expect(await sessions()).toHaveLength(1);
    await send(lab.api, 'POST', `/sessions/${session}/pins`, { body: { text: 'Never guess.' } });
    // What the client itself has sent, the server takes as it is.
    lab.provider.invalid.length = 0;
    const next = await lab.post('/v1/chat/completions', body(messages));
    expect(next.session).toBe(session);
    expect(next.headers.get('palimpsest-status')).toMatch(/^compacted/);
    expect(lab.provider.invalid).toEqual([]);
    const sent = lab.provider.received.at(-1)?.history ?? [];
    const results = sent.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual(['of a-0', 'of b-0', 'of a-1', 'of b-1', 'of a-2', 'of b-2']);
    const types = (await lab.events(session)).map(({ type }) => type);
    expect(types).not.toContain('item.superseded');
  });
});

it('a history that no session takes leaves no empty session', async () => {
  const refused = [{ role: 'user', content: 'Hello' }, { role: 'nobody' }];
  for (let round = 0; round < 3; round++) {
    const { headers } = await lab.post('/v1/chat/completions', body(refused));
    expect(headers.get('palimpsest-status')).toBe('bypassed; reason=invalid_item');
    refused.push({ role: 'user', content: `Again ${round}` });
  }
  expect(await sessions()).toEqual([]);
});
