import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decide } from '../../src/domain/session/decision.ts';
import type { Entry } from '../../src/domain/session/entry.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { user } from '../support/items.ts';
import { atScale } from '../support/scale.ts';

const MANY = 60_000;

describe('I4: the diff of a compaction takes linear time', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  /** A session that was forked from one with so many small messages that a compaction has kept. */
  async function sessionOf(id: string, contentOf: (index: number) => string): Promise<void> {
    const entries: Entry[] = Array.from({ length: MANY }, (_, index) => ({
      seq: null,
      item: user(contentOf(index)),
      tokens: 1,
      origin: 'preserved',
    }));
    const decide: Decide<null> = () =>
      accept({
        events: [
          {
            type: 'session.created',
            data: {
              format: 'anthropic',
              profile: 'default',
              config: {},
              model: null,
              context_window: 200_000,
              initial_context: [],
              metadata: {},
            },
          },
          {
            type: 'session.forked',
            data: { parent_session_id: 'parent', parent_version: 1, entries },
          },
        ],
        value: () => null,
      });
    const ref = { tenant: 'local', session_id: id };
    await api.deps.store.commit(ref, decide, { at: '2026-01-02T03:04:05.000Z' });
    await send(api, 'POST', `/sessions/${id}/items`, { body: user('What now?') });
    await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
    await api.work(api.dispatched.at(-1));
  }

  const kinds: [string, (index: number) => string][] = [
    ['that are all alike', () => 'ok'],
    ['of ten kinds', (index) => `ok ${index % 10}`],
    ['that all differ', (index) => `ok ${index}`],
  ];
  it.each(kinds.slice(0, atScale({ brief: 1, short: 3, long: 3 })))(
    'with 60,000 small items %s',
    async (name, contentOf) => {
      const id = name.replaceAll(/\W/g, '-');
      await sessionOf(id, contentOf);
      const { body: list } = await send(api, 'GET', `/sessions/${id}/compactions`);
      const compaction = Array.isArray(list.data) ? Object(list.data[0]) : {};
      expect(compaction.outcome).toBe('full_compacted');
      const timeOf = async (path: string) => {
        const started = cpuMs();
        const reply = await send(api, 'GET', path);
        expect(reply.status).toBe(200);
        return { reply, ms: cpuMs() - started };
      };
      const context = await timeOf(`/sessions/${id}/context?at=3`);
      const diff = await timeOf(`/sessions/${id}/compactions/${compaction.id}/diff`);
      expect(diff.ms).toBeLessThan(10 * Math.max(context.ms, 100));
      const { kept, removed, added } = diff.reply.body;
      const counts = [kept, removed, added].map((entries) =>
        Array.isArray(entries) ? entries.length : 0,
      );
      const [stayed = 0, gone = 0, made = 0] = counts;
      expect(stayed + gone).toBe(MANY + 1);
      expect(made).toBeGreaterThan(0);
    },
  );
});
