import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Conversations } from '../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const { compacted } = new Conversations(() => api);

let sessions = 0;
async function create(): Promise<string> {
  const id = `ledger-${++sessions}`;
  const config = { protected_tokens: 0, protected_messages: 1, auto_compact_enabled: false };
  const body = { id, context_window: 200_000, config };
  await send(api, 'POST', '/sessions', { body });
  return id;
}

type Told = { kind: string; seq: number; state: string; source: string; text: string; of?: string };

async function ledger(id: string, query = ''): Promise<{ facts: Told[]; epochs: unknown[] }> {
  const { text } = await send(api, 'GET', `/sessions/${id}/ledger${query}`);
  return JSON.parse(text);
}

const WORK = [
  user('Make the parser read dates. Always write tests first.'),
  call('t1', 'Bash', { command: 'npm test' }),
  result('t1', 'Exit code 1\nError: cannot read 2026-02-30', { is_error: true }),
  call('t2', 'Edit', { file_path: '/w/dates.ts', old_string: 'a', new_string: 'readDate()' }),
  result('t2', 'The file /w/dates.ts has been updated.'),
  call('t3', 'Bash', { command: 'npm test' }),
  result('t3', '3 passed'),
  assistant(`It reads dates now. ${ofTokens(4_000)}`),
];

/** A session of this work, with so much before its end that a compaction covers it. */
async function worked(): Promise<string> {
  const id = await create();
  const body = [...WORK, user('Now read times.'), assistant(ofTokens(6_000)), user('Go on.')];
  await send(api, 'POST', `/sessions/${id}/items`, { body });
  return id;
}

describe('the ledger of a session', () => {
  it('tells what the log says, each fact with its item, the same before and after a compaction', async () => {
    const id = await worked();
    const { facts, epochs } = await ledger(id);
    const of = (kind: string) =>
      facts.flatMap((fact) => (fact.kind === kind ? [[fact.seq, fact.state, fact.text]] : []));
    expect(epochs).toEqual([]);
    expect(of('constraint')).toEqual([
      [expect.any(Number), 'current', 'Always write tests first.'],
    ]);
    expect(of('run')).toEqual([
      [expect.any(Number), 'done', 'npm test passed last, 1 of 2 failed: 3 passed'],
    ]);
    expect(of('error').map(([, state, text]) => [state, text])).toEqual([
      [
        'done',
        expect.stringMatching(
          /cannot read 2026-02-30; the same worked later after changes of dates\.ts$/,
        ),
      ],
    ]);
    expect(of('change').map(([, , text]) => text)).toEqual([
      '/w/dates.ts: changed 1 times; added readDate',
    ]);
    expect(of('request').map(([, state]) => state)).toEqual(['done', 'done', 'open']);

    const cid = await compacted(id, { mode: 'full' });
    const after = await ledger(id);
    expect(after.facts).toEqual(facts);
    expect(after.epochs).toMatchObject([{ from: 1, compaction_id: cid }]);
  });

  it('tells of a stretch that was recorded before it came here when it was said', async () => {
    const id = await create();
    const told = (work: typeof WORK, day: number) =>
      work.map((item, at) => ({
        ...item,
        timestamp: `2025-06-0${day}T10:${String(at).padStart(2, '0')}:00.000Z`,
      }));
    const rest = [user('Now read times.'), assistant(ofTokens(6_000)), user('Go on.')];
    await send(api, 'POST', `/sessions/${id}/items`, { body: told([...WORK, ...rest], 1) });
    await compacted(id, { mode: 'full' });
    const { epochs } = await ledger(id);
    expect(epochs).toMatchObject([{ said_at: expect.stringMatching(/^2025-06-01T10:0[1-9]/) }]);
    await send(api, 'POST', `/sessions/${id}/items`, {
      body: told([user('And write them.'), assistant(ofTokens(6_000)), user('Go on.')], 2),
    });
    await compacted(id, { mode: 'full' });
    const { text } = await send(api, 'GET', `/sessions/${id}/context`);
    expect(text).toMatch(/Items 1 to \d+, before 2025-06-01T10:0[1-9]: /);
  });

  it('is filtered by kind, state and source', async () => {
    const id = await worked();
    const kinds = async (query: string) =>
      new Set((await ledger(id, query)).facts.map(({ kind }) => kind));
    expect(await kinds('?kind=run')).toEqual(new Set(['run']));
    expect(await kinds('?source=user')).toEqual(new Set(['request', 'constraint']));
    expect(await kinds('?state=open')).toEqual(new Set(['request']));
    expect((await ledger(id, '?kind=run&state=open')).facts).toEqual([]);
  });

  it('is refused for what no filter knows, and for a session that is not there', async () => {
    const id = await create();
    const wrong = await send(api, 'GET', `/sessions/${id}/ledger?kind=wish`);
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('kind');
    const nowhere = await send(api, 'GET', '/sessions/nowhere/ledger');
    expect(nowhere.status).toBe(404);
    expect(nowhere.text).toContain('no session with this id');
  });

  it('is known to a fork, which says whose numbers these are', async () => {
    const id = await worked();
    await compacted(id, { mode: 'full' });
    const fork = await send(api, 'POST', `/sessions/${id}/fork`, { body: {} });
    const { facts } = await ledger(String(fork.body.id));
    const rule = facts.find(({ kind }) => kind === 'constraint');
    expect(rule).toMatchObject({ text: 'Always write tests first.', of: id });
  });

  it('is known to a fork of what its client has compacted, which stores none', async () => {
    const id = await create();
    const sync = (items: object[]) =>
      send(api, 'POST', `/sessions/${id}/sync`, { body: { items } });
    await sync([...WORK, user('Now read times.')]);
    const summary = '<state_snapshot>Dates are read.</state_snapshot>';
    await sync([user(summary), assistant('Times next.'), user('Go on.')]);
    const { text } = await send(api, 'GET', `/sessions/${id}/events`);
    expect(text).toContain('compaction.observed');
    const fork = await send(api, 'POST', `/sessions/${id}/fork`, { body: {} });
    const told = async (of: string) => (await ledger(of)).facts.map((fact) => fact.text);
    expect(await told(String(fork.body.id))).toEqual(await told(id));
  });
});
