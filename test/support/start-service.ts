import { inject } from 'vitest';
import { freshDatabase, freshQueue } from './servers/fresh.ts';
import { ServiceProcess, type Variables } from './service-process.ts';

/**
 * The real service, in one process, on the store and the queue of the vitest project: a new database
 * and a new prefix for the keys in Redis, both gone after `dispose`.
 */
export async function startService(variables: Variables = {}): Promise<ServiceProcess> {
  const adapters: { [variable: string]: string } = {};
  const drops: (() => Promise<void>)[] = [];
  if (inject('store') === 'postgres') {
    const { url, drop } = await freshDatabase();
    adapters.DATABASE_URL = url;
    drops.push(drop);
  }
  if (inject('queue') === 'bullmq') {
    const { url, prefix, drop } = freshQueue();
    Object.assign(adapters, { REDIS_URL: url, PALIMPSEST_QUEUE_PREFIX: prefix });
    drops.push(drop);
  }
  return ServiceProcess.start({ ...adapters, ...variables }, async () => {
    for (const drop of drops) await drop();
  });
}

/**
 * For tests that kill: the job of a process that died is soon taken over by the next one, and that of one
 * that only waits for the processor is not.
 */
export const SHORT_LOCKS: Variables = { PALIMPSEST_JOB_LOCK_SECONDS: '3' };
