import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Item } from '../../src/domain/items/item.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { answer, gate, slow } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { summaryText } from '../support/summary-text.ts';

const WRITTEN = `<summary>\n${summaryText()}\n\n\nThe end.\n</summary>\nAnything else?`;

const reply = z.looseObject({
  note: z.string().nullable(),
  message: z.string().nullable(),
  compaction: z.looseObject({ id: z.string(), status: z.string() }).nullable(),
});
const detail = z.looseObject({
  note: z.string().nullable(),
  message: z.string().nullable(),
  summary: z.string().nullable(),
  metadata: z.object({ codex_compaction: z.record(z.string(), z.json()).nullable() }),
});

let model: ScriptedModelServer;
let service: ServiceProcess;
beforeAll(async () => {
  model = await ScriptedModelServer.start();
  service = await startService({
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.openaiUrl,
    PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
  });
});
afterAll(async () => {
  await service.dispose();
  await model.close();
});

let count = 0;
let id: string;
beforeEach(async () => {
  count += 1;
  id = `f-classic-${count}`;
  const config = { auto_compact_token_limit: 3_000 };
  await post('/sessions', { id, profile: 'codex-classic', format: 'anthropic', config });
});

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return response.json();
}

async function append(items: Item[], headers: Record<string, string> = {}) {
  return reply.parse(await post(`/sessions/${id}/items`, items, headers));
}

async function compaction(compactionId = '') {
  const response = await fetch(`${service.url}/sessions/${id}/compactions/${compactionId}`);
  return detail.parse(await response.json());
}

const WAIT = { prefer: 'wait=30' };
const talk = (turns: number): Item[] =>
  Array.from({ length: turns }, (_, n) => [
    user(`Question ${n + 1}. ${ofTokens(50)}`),
    assistant(`Answer ${n + 1}. ${ofTokens(110)}`),
  ]).flat();

describe('F: codex-classic, what its rows claimed', () => {
  it('CL-07, CL-56: a command is answered with the summary, as the model has written it', async () => {
    model.script(answer(WRITTEN));
    const answered = await append([...talk(10), user('/codex-compact')], WAIT);
    expect(answered.compaction).toMatchObject({ status: 'ended', trigger: 'manual' });
    expect(answered.message).toBe(WRITTEN);
    expect(answered.note).toBeNull();
    const { message, summary } = await compaction(answered.compaction?.id);
    expect(message).toBe(WRITTEN);
    // What the next model reads has words in place of the tags.
    expect(summary).toMatch(/^Summary:\n/);
  });

  it('CL-07: without the header nothing waits, and a replayed request waits like the first', async () => {
    const opened = gate();
    model.script(slow(WRITTEN, opened.promise));
    const items = [...talk(10), user('/compact')];
    const key = { 'idempotency-key': 'once' };
    const first = await append(items, key);
    expect(first).toMatchObject({ message: null, compaction: { trigger: 'manual' } });
    expect(first.compaction?.status).not.toBe('ended');
    opened.open();
    const again = await append(items, { ...key, ...WAIT });
    expect(again).toMatchObject({ message: WRITTEN, compaction: { status: 'ended' } });
  });

  it('CL-07: an append that has requested nothing waits for nothing', async () => {
    const opened = gate();
    model.script(slow(WRITTEN, opened.promise));
    await append([...talk(10), user('/compact')]);
    const answered = await append([assistant('Meanwhile.')], WAIT);
    expect(answered).toMatchObject({ message: null, note: null });
    expect(answered.compaction?.status).not.toBe('ended');
    opened.open();
  });

  it('CL-29: when it has ended, the note says so, and stands before the summary', async () => {
    const opened = gate();
    model.script(slow(WRITTEN, opened.promise));
    const paused = await append([...talk(15), user('And the tests?')]);
    expect(paused.note).toMatch(/^the request was paused for a compaction/);
    const { id: compactionId } = paused.compaction ?? { id: '' };
    expect((await compaction(compactionId)).note).toBe(paused.note);
    opened.open();
    await fetch(`${service.url}/sessions/${id}/context?wait=compaction`);
    const { note, message, summary } = await compaction(compactionId);
    expect(note).toMatch(/^the compaction has finished; please continue/);
    expect(message).toBe(`${note}\n\n${summary}`);
  });

  it('CL-50, CL-53: the metadata says whether it is active, and who asked', async () => {
    const opened = gate();
    model.script(slow(WRITTEN, opened.promise));
    const { compaction: limit } = await append([...talk(15), user('And the tests?')]);
    const active = { command: 'codex-compact', auto: true, active: true, mode: 'auto' };
    expect((await compaction(limit?.id)).metadata.codex_compaction).toMatchObject(active);
    opened.open();
    await fetch(`${service.url}/sessions/${id}/context?wait=compaction`);
    const ended = { ...active, active: false, reason: 'token_limit', truncated_turns: 0 };
    expect((await compaction(limit?.id)).metadata.codex_compaction).toEqual(ended);
    model.script(answer(WRITTEN));
    const { compaction: command } = await append([...talk(3), user('/compact')], WAIT);
    expect((await compaction(command?.id)).metadata.codex_compaction).toEqual({
      command: 'codex-compact',
      auto: false,
      active: false,
      mode: 'command',
      truncated_turns: 0,
    });
  });
});
