import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { engineAt, QUEUE, type Side } from './noop-jobs.ts';

/* Runs jobs that do nothing: with BullMQ alone, or with our engine around it. */

const [side, url, prefix, concurrency] = process.argv.slice(2);
if (!isSide(side) || url === undefined || prefix === undefined) {
  throw new Error('usage: noop-worker.ts ours|bare REDIS_URL PREFIX CONCURRENCY');
}
const stop = await start(side, { url, prefix, concurrency: Number(concurrency) });
console.log(`listening on ${prefix}`);
process.once('SIGTERM', () => void stop());

async function start(
  kind: Side,
  options: { url: string; prefix: string; concurrency: number },
): Promise<() => Promise<void>> {
  if (kind === 'ours') {
    const engine = engineAt(options);
    engine.start(async () => ({ kind: 'done' }));
    await engine.ping();
    return () => engine.stop(0);
  }
  const connection = new Redis(options.url, { maxRetriesPerRequest: null });
  const worker = new Worker(QUEUE, async () => {}, { ...options, connection });
  await worker.waitUntilReady();
  return async () => {
    await worker.close();
    connection.disconnect();
  };
}

function isSide(text: string | undefined): text is Side {
  return text === 'ours' || text === 'bare';
}
