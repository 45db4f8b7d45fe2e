import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../../src/domain/json.ts';
import { compactSession } from '../../../../src/workers/compaction/compact-session.ts';
import { remoteSummarizer } from '../../../../src/workers/summarizers/remote/remote.ts';
import { remoteCompactor } from '../../../../src/workers/summarizers/remote/remote-compactor.ts';
import { type ApiServer, send, startApi } from '../../../support/api-server.ts';
import { ofTokens } from '../../../support/items.ts';
import { opaqueItem } from '../../../support/scripted-model/compaction.ts';
import { ScriptedModelServer } from '../../../support/scripted-model-server.ts';
import { workerDependencies } from '../../../support/worker-dependencies.ts';
import { MODEL, message } from './remote-lab.ts';

let api: ApiServer;
let provider: ScriptedModelServer;
beforeAll(async () => {
  provider = await ScriptedModelServer.start();
  api = await startApi();
});
afterAll(async () => {
  await api.close();
  await provider.close();
});

const USER = message('user', `Fix the parser. ${ofTokens(300)}`);
const TALK: Item[] = [USER, message('assistant', ofTokens(600)), message('assistant', 'Done.')];
const OPAQUE = opaqueItem('opaque-content-of-3-items');

async function create(id: string, fields: JsonObject = { model: MODEL }): Promise<void> {
  const body = {
    id,
    format: 'openai-responses',
    context_window: 16_000,
    config: { protected_tokens: null },
    ...fields,
  };
  const reply = await send(api, 'POST', '/sessions', { body });
  expect(reply.status).toBe(201);
}

/** Runs the job that was handed over last, with the provider at hand. */
async function work(): Promise<void> {
  const access = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.openaiUrl };
  const worker = workerDependencies({
    store: api.deps.store,
    world: api.deps.world,
    remote: remoteSummarizer(remoteCompactor(access)),
    now: () => api.deps.clock.now(),
  });
  const job = api.dispatched.at(-1);
  if (job === undefined) throw new Error('nothing was handed over');
  await compactSession(worker)(job, new AbortController().signal);
}

const compact = (id: string, body: JsonObject) =>
  send(api, 'POST', `/sessions/${id}/compact`, { body });
const get = (path: string) => send(api, 'GET', path);

describe('POST /sessions/:id/compact with mode remote', () => {
  it.each<[string, JsonObject, RegExp]>([
    ['anthropic', { format: 'anthropic', model: MODEL }, /format "openai-responses"/],
    ['of-nobody', {}, /names no model/],
    ['of-others', { model: 'claude-sonnet-5' }, /not an OpenAI model/],
  ])('a session %s is refused: 400 with the reason', async (id, fields, reason) => {
    await create(id, fields);
    for (const body of [{ mode: 'remote' }, { mode: 'remote', dry_run: true }]) {
      const reply = await compact(id, body);
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toMatch(reason);
      expect(reply.body.errors).toEqual([{ path: 'mode', message: 'must be auto, micro or full' }]);
    }
  });

  it('an unknown session is not found', async () => {
    expect((await compact('nobody', { mode: 'remote' })).status).toBe(404);
  });

  it('outcome remote_compacted, in the list, the details, the diff and a fork; and back', async () => {
    await create('s');
    await send(api, 'POST', '/sessions/s/items', { body: TALK });
    const before = await get('/sessions/s/context');
    const dry = await compact('s', { mode: 'remote', dry_run: true });
    expect(dry.body).toMatchObject({
      action: 'remote',
      through: 4,
      summary_budget: null,
      files: [],
    });
    expect(Number(dry.body.prompt_tokens)).toBeGreaterThan(900);

    const { body } = await compact('s', { mode: 'remote' });
    expect(body).toMatchObject({ status: 'queued', mode: 'remote' });
    await work();
    const path = `/sessions/s/compactions/${body.id}`;
    expect((await get(path)).body).toMatchObject({
      status: 'ended',
      outcome: 'remote_compacted',
      mode: 'remote',
      summary: '',
      summarizer: 'remote',
      model: `openai/${MODEL}`,
      template: null,
      preserved: [],
      restored: [],
    });
    expect((await get('/sessions/s/compactions')).body.data).toEqual([
      expect.objectContaining({ outcome: 'remote_compacted' }),
    ]);
    expect((await get('/sessions/s/context')).body.items).toEqual([USER, OPAQUE]);
    const diff = (await get(`${path}/diff`)).body;
    expect(diff).toMatchObject({ kept: [], cleared: [] });
    expect(JSON.parse(JSON.stringify(diff.removed))).toHaveLength(3);
    expect(diff.added).toEqual([
      expect.objectContaining({ origin: 'boundary' }),
      expect.objectContaining({ origin: 'remote', item: USER }),
      expect.objectContaining({ origin: 'remote', item: OPAQUE }),
    ]);

    // Nobody else can read the opaque item: what it stands for is lost to another format.
    const elsewhere = await get('/sessions/s/context?format=anthropic');
    expect(elsewhere.text).toContain('Fix the parser.');
    expect(elsewhere.text).not.toContain('opaque-content');

    const fork = await send(api, 'POST', '/sessions/s/fork', { body: { id: 'fork' } });
    expect(fork.status).toBe(201);
    expect((await get('/sessions/fork/context')).body.items).toEqual([USER, OPAQUE]);
    const more = message('user', ofTokens(900));
    await send(api, 'POST', '/sessions/fork/items', { body: [more] });
    await compact('fork', { mode: 'remote' });
    await work();
    expect(provider.requests.at(-1)?.body.input).toEqual([USER, OPAQUE, more]);

    const reverted = await send(api, 'POST', `${path}/revert`);
    expect(reverted.status).toBe(200);
    expect((await get('/sessions/s/context')).body.items).toEqual(before.body.items);
  });
});
