import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

/**
 * A tool of the Responses API with `async`: the model reads on while its client runs it, and hears of the
 * result in whatever later request the client has it for.
 */

let lab: GatewayLab;
const sessions = new Set<string>();
beforeEach(async () => {
  sessions.clear();
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const IMPORTED = { type: 'function_call_output', call_id: 'slow', output: 'Imported 1,204 rows.' };
const BODY = {
  model: 'gpt-5.4',
  store: false,
  tools: [
    { type: 'function', name: 'read_log', strict: false, parameters: { type: 'object' } },
    {
      type: 'function',
      name: 'import',
      async: true,
      strict: false,
      parameters: { type: 'object' },
    },
  ],
};

/** What the provider was sent of the call of the tool, in each of so many requests. */
async function work(requests: number, resultAfter: number): Promise<Item[][]> {
  lab.provider.script = (_, index) => ({
    text: `I read log ${index}.`,
    calls: [
      ...(index === 1
        ? [{ id: 'slow', name: 'import', input: { of: 'a.tar' }, async: true } as const]
        : []),
      { id: `call_${index}`, name: 'read_log', input: { path: `${index}.log` } },
    ],
  });
  const input: Item[] = [{ role: 'user', content: 'Import the archive, and read the logs.' }];
  for (let request = 0; request < requests; request++) {
    const answer = await lab.post(
      '/v1/responses',
      { ...BODY, input },
      { 'x-palimpsest-context-window': '12000' },
    );
    expect(answer.status, answer.text).toBe(200);
    sessions.add(answer.session);
    const { output } = JSON.parse(answer.text) as { output: Item[] };
    const read = {
      type: 'function_call_output',
      call_id: `call_${request}`,
      output: logOf(`${request}.log`),
    };
    input.push(...output, read, ...(request === resultAfter ? [IMPORTED] : []));
  }
  expect(lab.provider.invalid).toEqual([]);
  return lab.provider.turns.map(({ history }) => history.filter((item) => item.call_id === 'slow'));
}

async function fullCompactions(): Promise<number> {
  const [session = ''] = sessions;
  expect(sessions.size).toBe(1);
  const events = await lab.events(session);
  return events.filter(({ type }) => type === 'compaction.completed').length;
}

it('stands in each context as it is until its result is there, and is joined to that', async () => {
  const sent = await work(22, 20);
  expect(await fullCompactions()).toBeGreaterThan(1);
  const call = { type: 'function_call', async: true };
  for (const items of sent.slice(2, 21)) expect(items).toMatchObject([call]);
  expect(sent.at(-1)).toMatchObject([call, IMPORTED]);
});

it('is compacted with its result', async () => {
  const sent = await work(20, 3);
  expect(await fullCompactions()).toBeGreaterThan(1);
  expect(sent.at(-1)).toEqual([]);
});
