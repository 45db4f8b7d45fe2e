import { setTimeout as pause } from 'node:timers/promises';
import { remoteTarget } from '../src/cli/target.ts';
import { gate, slow } from '../test/support/scripted-model/behaviour.ts';
import { plausibleSummary } from '../test/support/scripted-model/plausible-summary.ts';
import { ScriptedModelServer } from '../test/support/scripted-model-server.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { SUMMARIZERS, type SummarizerKind, scriptedModel } from './local-service.ts';
import { type ServerProcess, startOurs } from './processes.ts';
import { dialogue } from './sample-items.ts';
import type { Servers } from './servers.ts';
import { median, timed } from './statistics.ts';

const CONCURRENCY = 4;
const ITEMS = 60;
/** How long the scripted model takes for each answer; real ones take ten to hundred times as long. */
const MODEL_MS = 200;
/** Enough that start and end of a batch do not count for much. */
const BATCH: Record<SummarizerKind, number> = { extractive: 200, model: 80 };

type Sample = { perSecond: number; workerCpu: number; apiCpu: number };
type Samples = { one: Sample[]; two: Sample[] };

/** Compactions per second of two worker processes against one, with the same API, Redis and PostgreSQL. */
export async function twoWorkers(servers: Servers, rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const summarizer of SUMMARIZERS) {
    figures.push(...figuresOf(summarizer, await measure(servers, summarizer, rounds)));
  }
  return figures;
}

async function measure(
  servers: Servers,
  summarizer: SummarizerKind,
  rounds: number,
): Promise<Samples> {
  const model = await ScriptedModelServer.start();
  const variables = {
    DATABASE_URL: await servers.newDatabase(),
    REDIS_URL: await servers.redisUrl(),
    PALIMPSEST_QUEUE_PREFIX: `bench-workers-${summarizer}`,
    WORKER_CONCURRENCY: String(CONCURRENCY),
    ...(summarizer === 'model' ? scriptedModel(model) : {}),
  };
  const startWorker = () => startOurs({ ...variables, ROLE: 'worker' });
  const api = await startOurs({ ...variables, ROLE: 'api' });
  const workers = [await startWorker()];
  const samples: Samples = { one: [], two: [] };
  try {
    // The first round warms up and does not count.
    for (let round = 0; round <= rounds; round++) {
      const batch = (name: string) => async () => {
        const count = BATCH[summarizer];
        if (summarizer === 'model') scriptSlowAnswers(model, count);
        return runBatch({ api, workers }, `${name}-${round}`, count);
      };
      const one = await batch('one')();
      const second = await startWorker();
      workers.push(second);
      const two = await batch('two')();
      workers.pop();
      await second.stop();
      if (round === 0) continue;
      samples.one.push(one);
      samples.two.push(two);
    }
    return samples;
  } finally {
    for (const server of [...workers, api]) await server.stop();
    await model.close();
  }
}

/** Requests all compactions at once and waits for the end of the last one. */
async function runBatch(
  { api, workers }: { api: ServerProcess; workers: readonly ServerProcess[] },
  name: string,
  count: number,
): Promise<Sample> {
  const client = new BenchClient(remoteTarget(api.url));
  const sessions = Array.from({ length: count }, (_, i) => `${name}-${i}`);
  for (const id of sessions) {
    await client.create(id, { config: { auto_compact_enabled: false, protected_messages: 4 } });
    await client.append(id, dialogue(ITEMS));
  }
  const before = { api: await api.cpuMicroseconds(), workers: await cpuOf(workers) };
  const milliseconds = await timed(() =>
    Promise.all(sessions.map((id) => client.compact(id, 'full', 'full_compacted'))),
  );
  const after = { api: await api.cpuMicroseconds(), workers: await cpuOf(workers) };
  return {
    perSecond: (count * 1_000) / milliseconds,
    workerCpu: (after.workers - before.workers) / count,
    apiCpu: (after.api - before.api) / count,
  };
}

/** Each answer ends a fixed time after its request has come. */
function scriptSlowAnswers(model: ScriptedModelServer, count: number): void {
  const earlier = model.requests.length;
  const text = plausibleSummary('');
  for (let i = 1; i <= count; i++) {
    const { promise, open } = gate();
    model.script(slow(text, promise));
    void model
      .received(earlier + i)
      .then(() => pause(MODEL_MS))
      .then(open);
  }
}

async function cpuOf(processes: readonly ServerProcess[]): Promise<number> {
  let sum = 0;
  for (const each of processes) sum += await each.cpuMicroseconds();
  return sum;
}

function figuresOf(summarizer: SummarizerKind, { one, two }: Samples): Figure[] {
  const how = summarizer === 'model' ? `a model that takes ${MODEL_MS} ms` : 'from the log';
  const middle = (samples: Sample[], field: keyof Sample) =>
    median(samples.map((sample) => sample[field]));
  return [
    {
      what: `two workers, ${how}`,
      unit: 'compactions/s',
      ours: middle(two, 'perSecond'),
      baseline: { what: 'one worker', value: middle(one, 'perSecond') },
    },
    {
      what: `a compaction, ${how}: CPU time of the worker`,
      unit: 'µs',
      ours: middle(one, 'workerCpu'),
      baseline: { what: 'CPU time of the API process', value: middle(one, 'apiCpu') },
    },
  ];
}
