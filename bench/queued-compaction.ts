import { remoteTarget } from '../src/cli/target.ts';
import { ScriptedModelServer } from '../test/support/scripted-model-server.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { SUMMARIZERS, type SummarizerKind, scriptedModel } from './local-service.ts';
import { NoopJobs } from './noop-jobs.ts';
import { type ServerProcess, startOurs } from './processes.ts';
import { dialogue } from './sample-items.ts';
import type { Servers } from './servers.ts';
import { median, quantile, timed } from './statistics.ts';

/** A short context, so that the way through the queue is a large part of the whole. */
const ITEMS = 60;
const WARM_UP = 40;
const CONCURRENCY = 2;
/** Of the round trip of a job that does nothing: what the queue may add to a compaction. */
const ROUND_TRIPS = 1.5;

/** One process without a queue; one process with it; an API and a worker process. */
type System = 'alone' | 'one' | 'two';
type Times = Record<'noop' | System, number[]>;

/**
 * A compaction from request to answer (`Prefer: wait`) through Redis, in one process and in an API and
 * a worker process, against the same by one process without a queue, all on one PostgreSQL, and
 * against the round trip of a job that does nothing on the same Redis. Milliseconds.
 */
export async function queuedCompaction(servers: Servers, repeats: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const summarizer of SUMMARIZERS) {
    figures.push(...figuresOf(summarizer, await measure(servers, summarizer, repeats)));
  }
  return figures;
}

async function measure(
  servers: Servers,
  summarizer: SummarizerKind,
  repeats: number,
): Promise<Times> {
  const model = await ScriptedModelServer.start();
  const redis = await servers.redisUrl();
  const started: ServerProcess[] = [];
  const start = async (variables: Record<string, string>) => {
    const server = await startOurs({
      ...(summarizer === 'model' ? scriptedModel(model) : {}),
      ...variables,
    });
    started.push(server);
    return server;
  };
  const noop = await NoopJobs.start('bare', redis, CONCURRENCY);
  try {
    const queue = (name: string) => ({
      REDIS_URL: redis,
      PALIMPSEST_QUEUE_PREFIX: `bench-${summarizer}-${name}`,
      WORKER_CONCURRENCY: String(CONCURRENCY),
    });
    const shared = { DATABASE_URL: await servers.newDatabase(), ...queue('two') };
    const api = await start({ ...shared, ROLE: 'api' });
    await start({ ...shared, ROLE: 'worker' });
    const one = await start({ DATABASE_URL: await servers.newDatabase(), ...queue('one') });
    const alone = await start({ DATABASE_URL: await servers.newDatabase() });
    const clients = { alone: clientOf(alone), one: clientOf(one), two: clientOf(api) };
    return await takeTurns(noop, clients, repeats);
  } finally {
    for (const server of started) await server.stop();
    await noop.close();
    await model.close();
  }
}

async function takeTurns(
  noop: NoopJobs,
  clients: Record<System, BenchClient>,
  repeats: number,
): Promise<Times> {
  const times: Times = { noop: [], alone: [], one: [], two: [] };
  for (let i = 0; i < WARM_UP + repeats; i++) {
    const id = `queued-${i}`;
    for (const client of Object.values(clients)) await prepare(client, id);
    const compact = (system: System) => () => clients[system].compact(id, 'full', 'full_compacted');
    const turns: [keyof Times, () => Promise<void>][] = [
      ['noop', () => noop.roundTrip()],
      ['alone', compact('alone')],
      ['one', compact('one')],
      ['two', compact('two')],
    ];
    // Each is first as often as the others: who comes later finds the machine warmer.
    for (let turn = 0; turn < turns.length; turn++) {
      const [name, work] = turns[(turn + i) % turns.length] ?? [];
      if (name === undefined || work === undefined) continue;
      const milliseconds = await timed(work);
      if (i >= WARM_UP) times[name].push(milliseconds);
    }
  }
  return times;
}

async function prepare(client: BenchClient, id: string): Promise<void> {
  await client.create(id, { config: { auto_compact_enabled: false, protected_messages: 4 } });
  await client.append(id, dialogue(ITEMS));
}

function clientOf({ url }: ServerProcess): BenchClient {
  return new BenchClient(remoteTarget(url));
}

function figuresOf(summarizer: SummarizerKind, times: Times): Figure[] {
  const how = summarizer === 'model' ? 'scripted model' : 'from the log';
  const noop = median(times.noop);
  const alone = median(times.alone);
  const rows = (system: 'one' | 'two'): Figure[] => {
    const where = system === 'one' ? 'one process' : 'API and worker';
    const what = `compaction through BullMQ, ${where}, ${how}`;
    const ours = median(times[system]);
    const figure = (name: string, value: number, baseline: Figure['baseline']): Figure => ({
      what: `${what}: ${name}`,
      unit: 'ms',
      ours: value,
      baseline,
    });
    return [
      {
        ...figure('p50', ours, {
          what: `in process + ${ROUND_TRIPS} × no-op job`,
          value: alone + ROUND_TRIPS * noop,
        }),
        // What the queue costs. Between two processes there is the word from one to the other on top.
        ...(system === 'one' ? { target: { at_most: 1 } } : {}),
      },
      {
        ...figure('p50', ours, {
          what: `${ROUND_TRIPS} × (in process + no-op job)`,
          value: ROUND_TRIPS * (alone + noop),
        }),
        target: { at_most: 1 },
      },
      figure('what the queue adds', ours - alone, { what: 'no-op job, round trip', value: noop }),
      figure('p99', quantile(times[system], 0.99), {
        what: 'in process',
        value: quantile(times.alone, 0.99),
      }),
    ];
  };
  return [...rows('one'), ...rows('two')];
}
