import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { PROFILES } from '../../src/domain/policy/profiles.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';

/** Much talk, and so little to clear that it is not worth the step. */
const SESSION: Item[] = [
  ...Array.from({ length: 30 }, (_, n) =>
    n % 2 === 0 ? user(`Step ${n}, please.`) : assistant(`Done ${n}. ${ofTokens(2_500)}`),
  ),
  ...['a', 'b', 'c', 'd', 'e'].flatMap((id) => tool(id, 'Bash', 230)),
  assistant('All steps are done.'),
];

describe('B5: the compact tool frees space', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(() => api.close());

  const compact = (body: object) => send(api, 'POST', '/sessions/s/compact', { body });

  it.each(PROFILES)(
    '%s: far more than a token, and its caller gets the summary',
    async (profile) => {
      const config = { micro_compact_min_tokens_to_save: 0 };
      await send(api, 'POST', '/sessions', {
        body: { id: 's', profile, context_window: 200_000, config },
      });
      await send(api, 'POST', '/sessions/s/items', { body: SESSION });
      const { body } = await compact({ trigger: 'tool', focus: 'the lexer' });
      await api.work(api.dispatched.at(-1));
      const done = (await send(api, 'GET', `/sessions/s/compactions/${body.id}`)).body;
      expect(done).toMatchObject({ outcome: 'full_compacted', request: { focus: 'the lexer' } });
      expect(done.message).toBe(done.summary);
      expect(Number(done.tokens_after)).toBeLessThan(Number(done.tokens_before) / 2);
    },
  );

  it('without a focus it clears where that frees half of the context', async () => {
    const config = { micro_compact_min_tokens_to_save: 100 };
    await send(api, 'POST', '/sessions', { body: { id: 's', config } });
    const reads = Array.from({ length: 10 }, (_, n) => tool(`r${n}`, 'Bash', 9_000)).flat();
    await send(api, 'POST', '/sessions/s/items', {
      body: [user('Go.'), ...reads, ...tool('z', 'Bash', 10)],
    });
    const { body } = await compact({ trigger: 'tool' });
    await api.work(api.dispatched.at(-1));
    const done = (await send(api, 'GET', `/sessions/s/compactions/${body.id}`)).body;
    expect(done.outcome).toBe('micro_compacted');
    expect(Number(done.tokens_after)).toBeLessThanOrEqual(Number(done.tokens_before) / 2);
    expect(done.message).toMatch(/^Left a digest of \d+ old tool results/);
  });

  it.each([{ focus: 'the lexer' }, { instructions: 'Keep all paths.' }])(
    'a wish that comes while another compaction runs is answered: %j',
    async (wish) => {
      await send(api, 'POST', '/sessions/s/items', { body: SESSION });
      const first = await compact({});
      const second = await compact({ trigger: 'tool', ...wish });
      expect(second.body.id).toBe(first.body.id);
      expect(second.body.message).toContain('ask again once it has ended');
      expect((await compact({ trigger: 'tool' })).body.message).toBeNull();
    },
  );
});
