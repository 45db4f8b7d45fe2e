import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiReply, type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const get = (path: string) => send(api, 'GET', path);

const TALK = Array.from({ length: 5 }, (_, i) => [
  user(`Question ${i}: ${ofTokens(300)}`),
  assistant(`Answer ${i}: ${ofTokens(300)}`),
]).flat();

let count = 0;
/** A session with some talk; the talk fits all formats. */
async function session(settings: JsonObject = {}, items: Item[] = TALK): Promise<string> {
  count += 1;
  const id = `commands-${count}`;
  const body = { id, profile: 'codex-classic', context_window: 40_000, ...settings };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  if (items.length > 0) await append(id, ...items);
  return id;
}

async function append(id: string, ...items: Item[]): Promise<ApiReply> {
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  expect(reply.status).toBe(201);
  return reply;
}

/** Runs the job that was handed over last; answers its compaction in full. */
async function worked(id: string): Promise<JsonObject> {
  const job = api.dispatched.at(-1);
  await api.work(job);
  return (await get(`/sessions/${id}/compactions/${job?.compaction_id}`)).body;
}

const contextOf = async (id: string) => (await get(`/sessions/${id}/context`)).body;

describe('a compaction command in a message', () => {
  it.each(['/compact', '/codex-compact', 'codex-compact', '/Compact', 'CODEX-COMPACT'])(
    '%s is recorded, kept out of the context, and compacts',
    async (command) => {
      const id = await session();
      const reply = await append(id, user(command));
      expect(reply.body).toMatchObject({
        compaction: { status: 'queued', mode: 'full', trigger: 'manual', reason: 'command' },
        note: null,
        advice: null,
      });
      expect((await contextOf(id)).items).toEqual(TALK);
      const done = await worked(id);
      expect(done).toMatchObject({
        outcome: 'full_compacted',
        request: { reason: 'command', instructions: null },
        attribution: { path: 'command', tier: null },
        metadata: { codex_compaction: { mode: 'command', truncated_turns: 0 } },
        note: null,
        message: expect.stringContaining('Question 4'),
        user_display_message: null,
      });
      expect(Object(done.metadata).codex_compaction).toEqual({
        mode: 'command',
        command: 'codex-compact',
        auto: false,
        active: false,
        truncated_turns: 0,
      });
      expect(JSON.stringify(await contextOf(id)).toLowerCase()).not.toContain(
        command.toLowerCase(),
      );
      const log = (await get(`/sessions/${id}/items?limit=100`)).body.data;
      expect(log).toMatchObject([...TALK.map((item) => ({ item })), { item: user(command) }]);
      expect((await get(`/sessions/${id}/rollout`)).text).toContain(JSON.stringify(user(command)));
    },
  );

  it('hands its instructions to the summariser', async () => {
    const id = await session();
    await append(id, user('/compact keep the API names'));
    const done = await worked(id);
    expect(done.request).toMatchObject({ instructions: 'keep the API names' });
  });

  it.each([
    ['anthropic', { role: 'user', content: [{ type: 'text', text: '/compact' }] }],
    ['openai-chat', { role: 'user', content: '/compact' }],
    [
      'openai-responses',
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '/compact' }] },
    ],
  ])('is understood in format %s', async (format, item) => {
    const id = await session({ format });
    const reply = await append(id, item);
    expect(reply.body.compaction).toMatchObject({ reason: 'command' });
    expect(await worked(id)).toMatchObject({ outcome: 'full_compacted' });
    expect(JSON.stringify(await contextOf(id))).not.toContain('/compact');
  });

  it('comes before the limit: one compaction, by hand', async () => {
    const config = { auto_compact_token_limit: 1_000 };
    const id = await session({ config });
    const reply = await append(id, assistant('And so on.'), user('/compact'));
    expect(reply.body.compaction).toMatchObject({ trigger: 'manual', reason: 'command' });
    expect((await get(`/sessions/${id}/compactions`)).body.data).toHaveLength(1);
  });

  it.each<[string, JsonObject, Item[]]>([
    ['switched off', { config: { manual_commands: false } }, [user('/compact')]],
    ['of a profile without them', { profile: 'default' }, [user('/compact')]],
    ['not the last item', {}, [user('/compact'), user('and then?')]],
    ['part of a sentence', {}, [user('please /compact')]],
  ])('is plain text when %s', async (_name, settings, items) => {
    const id = await session(settings);
    const reply = await append(id, ...items);
    expect(reply.body).toMatchObject({ compaction: null, note: null });
    expect(JSON.stringify(await contextOf(id))).toContain('/compact');
  });

  it('is understood where a profile without them switches them on', async () => {
    const id = await session({ profile: 'default', config: { manual_commands: true } });
    expect((await append(id, user('/compact'))).body.compaction).toMatchObject({ mode: 'full' });
  });

  it('is kept out, with a note, while compaction is switched off', async () => {
    const id = await session({ config: { enabled: false } });
    const reply = await append(id, user('/compact'));
    expect(reply.body).toMatchObject({
      compaction: null,
      note: expect.stringContaining('switched off'),
    });
    expect((await contextOf(id)).items).toEqual(TALK);
  });

  it('is kept out, with a note, while another one is under way', async () => {
    const id = await session();
    const first = await append(id, user('/compact'));
    const jobs = api.dispatched.length;
    const second = await append(id, user('/compact and keep the names'));
    expect(second.body.compaction).toEqual(first.body.compaction);
    expect(second.body.note).toContain('under way');
    expect(api.dispatched).toHaveLength(jobs);
    expect((await contextOf(id)).items).toEqual(TALK);
  });

  it('compacts nothing in a session that holds nothing else', async () => {
    const id = await session({}, []);
    await append(id, user('/compact'));
    expect(await worked(id)).toMatchObject({
      outcome: 'skipped',
      outcome_reason: 'nothing_to_compact',
      metadata: { codex_compaction: { mode: 'command', truncated_turns: 0 } },
    });
  });

  it('answers the same when the request comes again', async () => {
    const id = await session({ config: { enabled: false } });
    const request = { body: user('/compact'), headers: { 'idempotency-key': 'again' } };
    const first = await send(api, 'POST', `/sessions/${id}/items`, request);
    const second = await send(api, 'POST', `/sessions/${id}/items`, request);
    expect(first.body.note).toContain('switched off');
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('auto_compact_token_limit', () => {
  /** Eleven messages with the last, of 2,400 tokens and more with the margin. */
  const LIMITED = { config: { auto_compact_token_limit: 2_000 } };

  it('compacts before a user message, which then stands after the summary, once', async () => {
    const id = await session(LIMITED);
    const question = user('And now the tests?');
    const reply = await append(id, question);
    expect(reply.body).toMatchObject({
      compaction: { mode: 'auto', trigger: 'auto', reason: 'token_limit' },
      note: expect.stringMatching(/paused .* again or continue/),
    });
    const done = await worked(id);
    expect(done).toMatchObject({
      outcome: 'full_compacted',
      attribution: { path: 'append' },
      note: 'the compaction has finished; please continue: send the request to the model again',
    });
    expect(Object(done.metadata).codex_compaction).toEqual({
      mode: 'auto',
      command: 'codex-compact',
      auto: true,
      active: false,
      reason: 'token_limit',
      truncated_turns: 0,
    });
    // Messages of the user in a row are merged for the provider.
    expect((await contextOf(id)).items).toMatchObject([
      { role: 'user', content: expect.arrayContaining([{ type: 'text', text: question.content }]) },
    ]);
    const { text } = await get(`/sessions/${id}/context`);
    const [before = '', ...behind] = text.split('And now the tests?');
    expect(before).toContain('ran out of context');
    expect(behind).toHaveLength(1);
  });

  it('waits for a user message, and for enough messages', async () => {
    const id = await session(LIMITED, TALK.slice(0, 6));
    // The seventh message: below the least number of eight.
    expect((await append(id, user(ofTokens(2_000)))).body.compaction).toBeNull();
    expect((await append(id, assistant('The eighth.'))).body.compaction).toBeNull();
    expect((await append(id, user('The ninth.'))).body.compaction).toMatchObject({
      reason: 'token_limit',
    });
  });

  it('is off until it is set, however full the window is', async () => {
    const id = await session({}, [...TALK, user(ofTokens(40_000))]);
    expect((await append(id, user('Still here?'))).body).toMatchObject({
      compaction: null,
      note: null,
      context: { is_above_error: true, is_above_auto_compact: false },
    });
  });

  it('has no such metadata, and holds nothing back, under another trigger', async () => {
    const id = await session({ profile: 'default', config: { auto_compact_threshold: 3_000 } });
    expect(api.dispatched.at(-1)?.ref.session_id).toBe(id);
    expect(await worked(id)).toMatchObject({
      reason: 'token_limit',
      metadata: { codex_compaction: null },
      note: null,
    });
  });
});
