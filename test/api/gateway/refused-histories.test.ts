import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const sessions = async () => (await lab.api.deps.store.sessions('local', { limit: 9 })).data;
const body = (messages: object[]) => ({ model: 'm', messages });

const call = { type: 'function', function: { name: 'read', arguments: '{}' } };

it.each([
  ['a role that there is not', [{ role: 'nobody' }]],
  [
    'calls that a server has given no ids',
    [
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', content: 'a' },
    ],
  ],
])('a history with %s goes past, and leaves no empty session', async (_, messages) => {
  const refused: object[] = [{ role: 'user', content: 'Hello' }, ...messages];
  for (let round = 0; round < 3; round++) {
    const { headers } = await lab.post('/v1/chat/completions', body(refused));
    expect(lab.provider.received.at(-1)?.history).toEqual(refused);
    expect(headers.get('palimpsest-status')).toBe('bypassed; reason=invalid_item');
    refused.push({ role: 'user', content: `Again ${round}` });
  }
  expect(await sessions()).toEqual([]);
});
