import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

/** Recall is on, and the model takes no tools. */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const MESSAGE = 'registry.ollama.ai/library/gemma:2b does not support tools';
const HEADERS = { 'x-palimpsest-recall': 'on', 'x-palimpsest-session': 'tower' };
const hello = [{ role: 'user', content: 'Hello.' }];
const CASES = [
  ['/v1/messages', 'messages', { max_tokens: 100 }],
  ['/v1/chat/completions', 'messages', {}],
  ['/v1/responses', 'input', { store: false }],
] as const;
const offers = () => lab.provider.turns.map(({ body }) => body.tools !== undefined);

describe.each(CASES)('%s', (path, field, more) => {
  const body = { model: 'gemma:2b', ...more, [field]: hello };

  it.each([true, false])('goes on as it came, stream: %s', async (stream) => {
    lab.provider.refusesTools = { status: 400, message: MESSAGE };
    const asked = JSON.stringify({ ...body, stream });
    const { status, text, session } = await lab.post(path, asked, HEADERS);
    expect([status, text.includes('Done.')]).toEqual([200, true]);
    expect(lab.provider.turns.at(-1)?.raw.toString()).toBe(asked);
    await expect.poll(async () => (await lab.items(session)).length).toBe(2);
    // Its next turn does not ask again, another model does.
    await lab.post(path, asked, HEADERS);
    expect(offers()).toEqual([true, false, false]);
    await lab.post(path, { ...body, model: 'gemma:9b' }, HEADERS);
    expect(offers()).toEqual([true, false, false, true, false]);
  });

  it('asks again for a model whose name is too long to be kept', async () => {
    lab.provider.refusesTools = { status: 400, message: MESSAGE };
    const asked = JSON.stringify({ ...body, model: 'm'.repeat(1_000_000) });
    for (let time = 0; time < 2; time++) await lab.post(path, asked, HEADERS);
    expect(offers()).toEqual([true, false, true, false]);
  });

  it('hears what its provider says of its own tools', async () => {
    lab.provider.refusesTools = {
      status: 404,
      message: 'No endpoints found that support tool use.',
    };
    const asked = JSON.stringify({ ...body, tools: [{ name: 'own', type: 'function' }] });
    const { status, text } = await lab.post(path, asked, HEADERS);
    expect([status, JSON.parse(text).error.message]).toEqual([
      404,
      'No endpoints found that support tool use.',
    ]);
    expect(lab.provider.turns.at(-1)?.raw.toString()).toBe(asked);
    lab.provider.refusesTools = null;
    await lab.post(path, asked, HEADERS);
    expect(lab.provider.turns.at(-1)?.raw.toString()).toContain('palimpsest_recall');
  });
});

it('reads the context of its session once something was compacted', async () => {
  lab.provider.refusesTools = { status: 400, message: MESSAGE };
  const long = Array.from({ length: 3_000 }, (_, line) => `Stone ${line} was laid.`).join('\n');
  const messages: object[] = [{ role: 'user', content: long }];
  for (let turn = 0; turn < 6; turn++) {
    const answer = await lab.post(
      '/v1/chat/completions',
      { model: 'gemma:2b', messages },
      { ...HEADERS, 'x-palimpsest-context-window': '30000' },
    );
    expect(answer.status, answer.text).toBe(200);
    messages.push(JSON.parse(answer.text).choices[0].message, {
      role: 'user',
      content: `${turn} ${long.slice(0, 20_000)}`,
    });
  }
  expect(offers().filter((offered) => offered)).toHaveLength(1);
  const last = lab.provider.turns.at(-1);
  expect(last?.tokens).toBeLessThan(30_000);
  expect(lab.provider.invalid).toEqual([]);
});
