import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab, refOf } from '../../support/gateway/lab.ts';
import { longBodies } from '../../support/gateway/long-bodies.ts';

/** What the provider has counted says nothing about a context that has changed since the request. */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const name = { 'x-palimpsest-session': 'held' };

/** Sends a turn; `meanwhile` happens to its session after the request has gone upstream. */
async function turnWith(
  path: string,
  body: object,
  meanwhile: (session: string) => Promise<void>,
): Promise<string> {
  let release = () => {};
  lab.provider.held = new Promise((resolve) => {
    release = resolve;
  });
  const answer = lab.post(path, body, name);
  await expect.poll(() => lab.provider.received).toHaveLength(1);
  const [session] = (await lab.api.deps.store.sessions('local', { limit: 1 })).data;
  const id = session?.ref.session_id ?? '';
  await meanwhile(id);
  release();
  expect((await answer).session).toBe(id);
  await expect.poll(async () => (await lab.items(id)).at(-1)?.role).toBe('assistant');
  return id;
}

const usageOf = async (id: string) =>
  (await lab.api.deps.store.head(refOf(id)))?.state.usage ?? null;

describe.each(longBodies(6))('an answer to %s', (path, body) => {
  it.each([true, false])(
    'does not bring the size of the context from before a compaction (stream: %s)',
    async (stream) => {
      const id = await turnWith(path, { ...body, stream }, async (session) => {
        const done = await send(lab.api, 'POST', `/sessions/${session}/compact`, {
          body: { mode: 'full' },
          headers: { prefer: 'wait=20' },
        });
        expect(done.status, done.text).toBe(200);
      });
      const events = await lab.events(id);
      const types = events.map(({ type }) => type);
      expect(types.at(-1)).toBe('item.appended');
      expect(types).toContain('compaction.completed');
      expect(await usageOf(id)).toBeNull();
      const { body: session } = await send(lab.api, 'GET', `/sessions/${id}`);
      const { tokens } = session.context as { tokens: number };
      expect(tokens).toBeLessThan((lab.provider.received[0]?.tokens ?? 0) / 2);
    },
  );

  it('does not bring that from before a pin', async () => {
    const RULE = 'Never touch vendor/.';
    const id = await turnWith(path, body, async (session) => {
      const pins = `/sessions/${session}/pins`;
      const pin = await send(lab.api, 'POST', pins, { body: { text: RULE } });
      expect(pin.status, pin.text).toBe(201);
    });
    expect(await usageOf(id)).toBeNull();
  });

  it('brings it where nothing has changed but settings', async () => {
    const id = await turnWith(path, body, async (session) => {
      const change = { metadata: { kept: true } };
      const done = await send(lab.api, 'PATCH', `/sessions/${session}`, { body: change });
      expect(done.status, done.text).toBe(200);
    });
    const sent = lab.provider.received[0]?.tokens ?? 0;
    expect(await usageOf(id)).toBeGreaterThan(sent);
  });
});
