import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/api/http/problem.ts';
import { readCompaction } from '../../../src/app/read-compaction.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { contextTokens } from '../../../src/domain/session/head.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { ofTokens, user } from '../../support/items.ts';
import { append, compactByItself, last, StubModel, WINDOW } from '../lab.ts';
import { compactByCommand, GOOD, openLab, turns } from './lab.ts';

let api: ApiServer;
beforeEach(async () => {
  api = await startApi();
  const config = { auto_compact_token_limit: 3_000 };
  const session = { id: 's', profile: 'codex-classic', context_window: WINDOW, config };
  await send(api, 'POST', '/sessions', { body: session });
});
afterEach(() => api.close());

/** The user says this after some turns; the compaction in full, when it has run. */
async function compacted(message: string) {
  const body = [...turns(15), user(message)];
  const reply = await send(api, 'POST', '/sessions/s/items', { body });
  await api.work(api.dispatched.at(-1));
  const { id } = Object(reply.body.compaction);
  return (await send(api, 'GET', `/sessions/s/compactions/${id}`)).body;
}

const codexCompaction = ({ metadata }: JsonObject) => Object(metadata).codex_compaction;

describe('metadata.codex_compaction', () => {
  const COMMON = { command: 'codex-compact', active: false, truncated_turns: 0 };

  it('CL-50, CL-51: of a command', async () => {
    const body = await compacted('/codex-compact');
    expect(codexCompaction(body)).toEqual({ mode: 'command', auto: false, ...COMMON });
  });

  it('CL-50, CL-52: of an automatic one', async () => {
    const body = await compacted('And now the tests?');
    const expected = { mode: 'auto', reason: 'token_limit', auto: true, ...COMMON };
    expect(codexCompaction(body)).toEqual(expected);
  });

  it.each([
    ['CL-51', '/compact', 7],
    ['CL-52', 'And now the tests?', 7],
  ])('%s: %j counts the turns that were left out: %i', async (_id, message, truncated_turns) => {
    const lab = await openLab({ auto_compact_token_limit: 1_000, transcript_max_tokens: 800 });
    StubModel.of(lab, GOOD);
    const [first] = await compactByItself(lab, ...turns(10), user(message));
    const { compaction_id } = Object(first?.data);
    const body = unwrap(await readCompaction(lab, lab.ref, compaction_id));
    expect(body.metadata.codex_compaction).toMatchObject({ truncated_turns });
  });

  it('CL-51: is null where neither asked for it', async () => {
    await send(api, 'POST', '/sessions/s/items', { body: turns(3) });
    const { body } = await send(api, 'POST', '/sessions/s/compact', { body: {} });
    const done = await send(api, 'GET', `/sessions/s/compactions/${body.id}`);
    expect(codexCompaction(done.body)).toBeNull();
  });

  it('CL-28: the note of an automatic one can be read there too', async () => {
    const reply = await send(api, 'POST', '/sessions/s/items', {
      body: [...turns(15), user('And now?')],
    });
    const { id } = Object(reply.body.compaction);
    const { body } = await send(api, 'GET', `/sessions/s/compactions/${id}`);
    expect(body.note).toBe(reply.body.note);
    expect(body.note).toContain('paused');
  });

  it('CL-29: when it has ended, the note says so, and stands before the summary', async () => {
    const { note, message, summary } = await compacted('And now?');
    expect(note).toMatch(/^the compaction has finished; please continue/);
    expect(message).toBe(`${note}\n\n${summary}`);
  });

  it('CL-56: the message of a command is the answer, untouched', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const [first] = await compactByCommand(lab, ...turns(3));
    const { compaction_id } = Object(first?.data);
    const body = unwrap(await readCompaction(lab, lab.ref, compaction_id));
    expect(body.message).toBe(GOOD);
    expect(body.summary).not.toBe(GOOD);
  });
});

describe('a compaction as a resource', () => {
  it('CL-53, CL-54: is found by its id, with its state, while it runs and after', async () => {
    const body = [...turns(15), user('/compact')];
    const reply = await send(api, 'POST', '/sessions/s/items', { body });
    const { id } = Object(reply.body.compaction);
    const running = { id, status: 'queued', mode: 'full', trigger: 'manual' };
    expect((await send(api, 'GET', '/sessions/s')).body.running_compaction).toEqual(running);
    const begun = (await send(api, 'GET', `/sessions/s/compactions/${id}`)).body;
    expect(codexCompaction(begun)).toMatchObject({ active: true });
    await api.work(api.dispatched.at(-1));
    expect((await send(api, 'GET', '/sessions/s')).body.running_compaction).toBeNull();
    const ended = (await send(api, 'GET', `/sessions/s/compactions/${id}`)).body;
    expect(ended).toMatchObject({ status: 'ended', outcome: 'full_compacted' });
  });

  it('CL-68: the session knows all that it had', async () => {
    await compacted('/compact');
    const body = [...turns(5), user('/compact')];
    await send(api, 'POST', '/sessions/s/items', { body });
    await api.work(api.dispatched.at(-1));
    const { data } = (await send(api, 'GET', '/sessions/s/compactions')).body;
    expect(data).toMatchObject([{ reason: 'command' }, { reason: 'command' }]);
  });
});

describe('the call of the model', () => {
  it('CL-69: a dry run tells how many tokens the conversation in it would count', async () => {
    await send(api, 'POST', '/sessions/s/items', { body: turns(4) });
    const { body } = await send(api, 'POST', '/sessions/s/compact', {
      body: { mode: 'full', dry_run: true },
    });
    const counts = turns(4).map(({ content }) => Math.ceil(String(content).length / 4));
    expect(body.prompt_tokens).toBe(counts.reduce((sum, count) => sum + count, 0));
  });

  it('CL-55: is no item, and its usage no usage of the context', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const items = [...turns(6), user(ofTokens(500))];
    const events = await compactByCommand(lab, ...items);
    const { report } = last(events, 'compaction.completed').data;
    expect(report.usage).toEqual({ input: 900, output: 80, cache_read: 300, cache_creation: 40 });
    const { state } = await lab.head();
    // The command is one; of the request and its answer there is nothing.
    expect(state.items).toBe(items.length + 1);
    const { entries } = await lab.view();
    const estimate = entries.reduce((sum, { tokens }) => sum + tokens, 0);
    const config = profileConfig('codex-classic', WINDOW);
    expect(contextTokens(state, config)).toBe(Math.ceil(estimate * 1.33));
    // One more token, and nothing of what the model counted.
    const next = await append(lab, user('Go.'));
    expect(next.context.tokens).toBe(Math.ceil((estimate + 1) * 1.33));
  });
});
