import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { readSettings } from '../../../src/config.ts';
import { openStore } from '../../../src/open-store.ts';
import { openRedis } from '../../../src/workers/engines/bullmq/redis-clients.ts';
import type { Cluster } from './cluster.ts';

const STATES = [
  'wait',
  'active',
  'delayed',
  'prioritized',
  'waiting-children',
  'completed',
  'failed',
] as const;

/** One sentence for every job that is left in the queue and every compaction without an end. */
export async function leftovers(cluster: Cluster): Promise<string[]> {
  return [...(await pendingIn(cluster)), ...(await jobsIn(cluster))];
}

async function pendingIn({ databaseUrl }: Cluster): Promise<string[]> {
  const { database } = readSettings({ DATABASE_URL: databaseUrl });
  const store = await openStore(database, () => {});
  try {
    const pending = await store.pending(100);
    return pending.map(({ compaction_id }) => `compaction ${compaction_id} is pending`);
  } finally {
    await store.close();
  }
}

async function jobsIn({ redis, queuePrefix }: Cluster): Promise<string[]> {
  if (redis === null) return [];
  const connection = openRedis(redis.url, { maxRetriesPerRequest: null });
  try {
    const found: string[] = [];
    for (const name of await queueNames(connection, queuePrefix)) {
      const queue = new Queue(name, { connection, prefix: queuePrefix, skipVersionCheck: true });
      const counts = await queue.getJobCounts(...STATES);
      for (const [state, count] of Object.entries(counts)) {
        if (count > 0) found.push(`${count} ${state} jobs in queue ${name}`);
      }
    }
    return found;
  } finally {
    connection.disconnect();
  }
}

/** Every queue that has left a key: how many there are, and their names, is the engine's business. */
async function queueNames(connection: Redis, prefix: string): Promise<Set<string>> {
  const keys = await connection.keys(`${prefix}:*:*`);
  return new Set(keys.flatMap((key) => key.split(':')[1] ?? []));
}
