import { createWorkerApp } from '../../src/api/create-worker-app.ts';
import { readText } from '../house/sources.ts';

/** What the service itself says about how it is run; deployment files are checked against it. */

export const PORT = '8787';

/** `.env.example` lists every variable that there is; test/house/documents.test.ts proves it. */
export function knownVariables(): Set<string> {
  const lines = readText('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm);
  return new Set([...lines].flatMap(([, name]) => name ?? []));
}

/**
 * Milliseconds that the service takes to stop at most: requests under way, then running compactions,
 * then what has to be handed back to the queue.
 */
export function longestStopMs(): number {
  return (
    constantOf('src/listen.ts', 'DRAIN_MS') +
    constantOf('src/service.ts', 'STOP_GRACE_MS') +
    constantOf('src/workers/engines/bullmq-engine.ts', 'ABORT_MS') +
    constantOf('src/workers/engines/bullmq-engine.ts', 'CLOSE_MS')
  );
}

const STORE = 'src/db/postgres/postgres-store.ts';

/** Connections that a process holds to PostgreSQL at most: its pools, and one that listens. */
export function connectionsPerProcess(): number {
  return constantOf(STORE, 'POOL_SIZE') + constantOf(STORE, 'WRITERS_SIZE') + 1;
}

/** What each thread of a process adds to them. */
export function connectionsPerThread(): number {
  return constantOf(STORE, 'THREAD_POOL_SIZE') + constantOf(STORE, 'THREAD_WRITERS_SIZE');
}

function constantOf(file: string, name: string): number {
  const digits = new RegExp(`const ${name} = ([\\d_]+);`).exec(readText(file))?.[1];
  if (digits === undefined) throw new Error(`${file} has no constant ${name} any more`);
  return Number(digits.replaceAll('_', ''));
}

/** Which statuses a probe sees: all is well, the queue is away, the store is away. */
export async function statusesOf(
  path: string,
): Promise<{ well: number; noQueue: number; noStore: number }> {
  return {
    well: await statusOf(path, []),
    noQueue: await statusOf(path, ['queue']),
    noStore: await statusOf(path, ['store']),
  };
}

const NO_METRICS = { page: async () => ({ type: 'text/plain', text: '' }) };

async function statusOf(path: string, away: ('store' | 'queue')[]): Promise<number> {
  const probe = (name: 'store' | 'queue') => async () => {
    if (away.includes(name)) throw new Error(`${name} is away`);
  };
  const app = createWorkerApp({
    probes: { store: probe('store'), queue: probe('queue') },
    version: '0.0.0',
    log: { error: () => {} },
    metrics: NO_METRICS,
    keys: [],
    dashboard: { jobs: null, operatorKey: null },
  });
  return (await app.request(path)).status;
}

/** Only says whether the process answers; whatever is away, a restart would not help. */
export const LIVENESS = { well: 200, noQueue: 200, noStore: 200 };
/** An API accepts items without the queue. */
export const API_READINESS = { well: 200, noQueue: 200, noStore: 503 };
export const WORKER_READINESS = { well: 200, noQueue: 503, noStore: 503 };

/** The files and folders besides its own modules that the compiled service reads at run time. */
export function readAtRunTime(sources: readonly { path: string; text: string }[]): string[] {
  const found = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url/g)].map(
      ([, relative]) => new URL(relative ?? '', `file:///${path}`).pathname,
    ),
  );
  const paths = found.map((path) => path.replace(/^\/|\/$/g, ''));
  return [...new Set(paths)].filter((path) => !path.startsWith('src/')).toSorted();
}
