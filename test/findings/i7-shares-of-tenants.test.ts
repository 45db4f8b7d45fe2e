import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/domain/json.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';
import { atScale } from '../support/scale.ts';
import { hang } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import { freshQueue } from '../support/servers/fresh.ts';
import { ServiceProcess, type Variables } from '../support/service-process.ts';

/** What is asked to end while the others hang may take this long; what hangs goes on for longer. */
const WAIT_SECONDS = 40;
const HANGING = { summarization_model: 'openai/slow', summarizer_timeout_seconds: 100 };
const ANSWERING = { summarization_model: 'anthropic/claude-haiku-4-5' };
const EXTRACTIVE = { summarization_model: 'extractive' };

type Layout = { queue: 'in-process' | 'bullmq'; workers: number; concurrency: number };
const ALL: Layout[] = [
  { queue: 'bullmq', workers: 0, concurrency: 1 },
  { queue: 'bullmq', workers: 2, concurrency: 1 },
  { queue: 'in-process', workers: 0, concurrency: 2 },
  { queue: 'in-process', workers: 0, concurrency: 1 },
  { queue: 'bullmq', workers: 2, concurrency: 2 },
];
const LAYOUTS = ALL.slice(-atScale({ brief: 1, short: 2, long: ALL.length }));
const HANGS = atScale({ brief: 1, short: 1, long: 2 });

const shown = z.looseObject({
  id: z.string(),
  status: z.string(),
  outcome: z.string().nullish(),
});

const log = z.looseObject({ data: z.array(z.looseObject({ type: z.string() })) });

describe('I7: a model that hangs holds up neither other tenants nor work without a model', {
  timeout: 180_000,
}, () => {
  let hanging: ScriptedModelServer;
  let answering: ScriptedModelServer;
  let folder: string;
  let processes: ServiceProcess[];
  beforeEach(async () => {
    hanging = await ScriptedModelServer.start(...Array.from({ length: 50 }, hang));
    answering = await ScriptedModelServer.start();
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-i7-'));
    processes = [];
  });
  afterEach(async () => {
    await hanging.close();
    await answering.close();
    await Promise.all(processes.map((process) => process.dispose()));
    rmSync(folder, { recursive: true });
  });

  /** The processes of a layout over one store; answers the address of the API. */
  async function start({ queue, workers, concurrency }: Layout): Promise<string> {
    const variables: Variables = {
      DATABASE_URL: `file:${join(folder, 'test.db')}`,
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: hanging.openaiUrl,
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: answering.anthropicUrl,
      PALIMPSEST_ALLOWED_MODELS: 'openai/*,anthropic/*',
      PALIMPSEST_API_KEYS: 'red:key-of-red,blue:key-of-blue',
      WORKER_CONCURRENCY: String(concurrency),
    };
    const shared: { [name: string]: string } = {};
    let onDispose = async () => {};
    if (queue === 'bullmq') {
      const { url, prefix, drop } = freshQueue();
      Object.assign(shared, { REDIS_URL: url, PALIMPSEST_QUEUE_PREFIX: prefix });
      onDispose = drop;
    }
    const role = workers > 0 ? { ROLE: 'api' } : {};
    const api = await ServiceProcess.start({ ...variables, ...shared, ...role }, onDispose);
    processes.push(api);
    for (let n = 0; n < workers; n++) {
      processes.push(await ServiceProcess.start({ ...variables, ...shared, ROLE: 'worker' }));
    }
    return api.url;
  }

  async function ask(url: string, tenant: string, path: string, body?: unknown, prefer?: string) {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer key-of-${tenant}`,
        ...(prefer !== undefined && { prefer }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    return response.json();
  }

  /** A session with something to summarise and something to clear, and the compaction asked for. */
  async function compact(
    url: string,
    { tenant, id, config, mode }: { tenant: string; id: string; config: JsonObject; mode: string },
    prefer?: string,
  ) {
    const clearing = { micro_compact_min_tokens_to_save: 100, micro_compact_keep_last_n_tools: 0 };
    const all = { protected_tokens: null, ...clearing, micro_compact_target_tokens: 0, ...config };
    await ask(url, tenant, '/sessions', { id, format: 'anthropic', config: all });
    const read = [
      ...tool('call-1', 'Read', 6_000, { file_path: 'src/parser.ts' }),
      ...tool('call-2', 'Read', 100, { file_path: 'src/printer.ts' }),
    ];
    const items = [user('Explain it.'), ...read, assistant(ofTokens(4_000)), user('Go on.')];
    await ask(url, tenant, `/sessions/${id}/items`, items);
    return shown.parse(await ask(url, tenant, `/sessions/${id}/compact`, { mode }, prefer));
  }

  const soon = `wait=${WAIT_SECONDS}`;

  it.each(
    LAYOUTS.flatMap((layout) => [10, 2].slice(0, HANGS).map((hangs) => ({ ...layout, hangs }))),
  )('$hangs hang; $queue, $workers workers, WORKER_CONCURRENCY=$concurrency', async (given) => {
    const url = await start(given);
    const stuck: string[] = [];
    for (let n = 0; n < given.hangs; n++) {
      const session = { tenant: 'red', id: `stuck-${n}`, config: HANGING, mode: 'full' };
      const { id } = await compact(url, session);
      stuck.push(`/sessions/${session.id}/compactions/${id}`);
    }
    const slots = Math.max(1, given.workers) * given.concurrency;
    await hanging.received(Math.min(given.hangs, slots));

    const others = [
      { tenant: 'blue', id: 'extractive', config: EXTRACTIVE, mode: 'full' },
      { tenant: 'red', id: 'extractive', config: EXTRACTIVE, mode: 'full' },
      { tenant: 'red', id: 'micro', config: HANGING, mode: 'micro' },
      { tenant: 'red', id: 'enough', config: HANGING, mode: 'auto' },
      { tenant: 'blue', id: 'model', config: ANSWERING, mode: 'full' },
    ];
    const ended = await Promise.all(others.map((session) => compact(url, session, soon)));
    expect(ended.map(({ status, outcome }) => ({ status, outcome }))).toEqual([
      { status: 'ended', outcome: 'full_compacted' },
      { status: 'ended', outcome: 'full_compacted' },
      { status: 'ended', outcome: 'micro_compacted' },
      { status: 'ended', outcome: 'micro_compacted' },
      { status: 'ended', outcome: 'full_compacted' },
    ]);
    expect(answering.requests).toHaveLength(1);
    // Nothing that hung has ended meanwhile, and no model was asked oftener than there are slots.
    for (const path of stuck) {
      expect(shown.parse(await ask(url, 'red', path)).status).not.toBe('ended');
    }
    expect(hanging.requests.length).toBeLessThanOrEqual(slots + Math.max(1, given.workers));
  });

  it.each(LAYOUTS)(
    'what waits for a slot gets it: $queue, $workers workers, $concurrency each',
    async (layout) => {
      const url = await start(layout);
      const config = { ...HANGING, summarizer_timeout_seconds: 2, summarizer_max_attempts: 1 };
      const ended = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          compact(
            url,
            { tenant: n % 2 === 0 ? 'red' : 'blue', id: `s-${n}`, config, mode: 'full' },
            soon,
          ),
        ),
      );
      expect(ended.map(({ status }) => status)).toEqual(Array(8).fill('ended'));
      // Waiting for a slot is no attempt.
      for (let n = 0; n < 8; n++) {
        const { data: events } = log.parse(
          await ask(url, n % 2 === 0 ? 'red' : 'blue', `/sessions/s-${n}/events`),
        );
        expect(events.filter(({ type }) => type === 'compaction.started')).toHaveLength(1);
      }
    },
  );

  it('a compaction that waits for a slot can be cancelled', async () => {
    for (const queue of ['in-process', 'bullmq'] as const) {
      const url = await start({ queue, workers: 0, concurrency: 1 });
      const before = hanging.requests.length;
      await compact(url, { tenant: 'red', id: `${queue}-1`, config: HANGING, mode: 'full' });
      await hanging.received(before + 1);
      const waiting = { tenant: 'red', id: `${queue}-2`, config: HANGING, mode: 'full' };
      const { id } = await compact(url, waiting);
      const path = `/sessions/${waiting.id}/compactions/${id}`;
      await ask(url, 'red', `${path}/cancel`, {});
      const next = { mode: 'micro' };
      const after = await ask(url, 'red', `/sessions/${waiting.id}/compact`, next, soon);
      expect(shown.parse(after)).toMatchObject({ status: 'ended', outcome: 'micro_compacted' });
      expect(hanging.requests).toHaveLength(before + 1);
    }
  });
});
