import { pino } from 'pino';
import { SettingsError } from '../../config/settings-error.ts';
import type { ServerSettings } from '../../config.ts';
import { errorMessage } from '../../domain/error-message.ts';
import { openEngine } from '../../open-engine.ts';
import { redisServers } from '../../workers/engines/bullmq/redis-address.ts';
import type { JobEngine } from '../../workers/engines/job-engine.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

const CHECK = 'queue';

/** Whether jobs can be handed over, and whether Redis keeps them. */
export async function checkQueue(settings: ServerSettings): Promise<Finding> {
  if (settings.queue === null) return ok(CHECK, 'in the process (no REDIS_URL)');
  const { redis_url } = settings.queue;
  const host = redisServers(redis_url);
  let engine: JobEngine | null = null;
  try {
    ({ engine } = await openEngine(settings, pino({ level: 'silent' }), () => {}));
    await engine.ping();
    const policy = await evictionPolicy(redis_url);
    if (policy === 'noeviction') return ok(CHECK, `Redis at ${host} takes jobs`);
    return note(
      CHECK,
      `Redis at ${host} takes jobs, and drops them when it is full (${policy})`,
      'set maxmemory-policy noeviction; what was dropped is handed over again after a while',
    );
  } catch (error) {
    return trouble(CHECK, errorMessage(error), adviceOn(error));
  } finally {
    await engine?.stop(0);
  }
}

/** What Redis does when its memory is full. */
async function evictionPolicy(url: string): Promise<string> {
  // An optional package: `openEngine` has said so where it is missing.
  const { openRedis } = await import('../../workers/engines/bullmq/redis-clients.ts');
  const redis = openRedis(url, { lazyConnect: true, maxRetriesPerRequest: 1 });
  try {
    const memory = await redis.info('memory');
    return /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  } finally {
    redis.disconnect();
  }
}

function adviceOn(error: unknown): string {
  return error instanceof SettingsError ? 'then run it again' : 'start Redis, and check REDIS_URL';
}
