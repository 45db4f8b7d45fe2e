import type { TestProject } from 'vitest/node';
import { isRulesOnly } from '../vitest-projects.ts';
import { ownPostgres, pingPostgres } from './postgres.ts';
import type {} from './provided.ts';
import { ownRedis, pingRedis } from './redis.ts';
import type { TestServer } from './test-server.ts';

type Shared = Pick<TestServer, 'url' | 'how' | 'dispose'>;

/**
 * vitest `globalSetup`: one Redis and one PostgreSQL for all test files, which take a key prefix or
 * a database of their own there. Prints where each comes from. TEST_REDIS_URL and
 * TEST_POSTGRES_URL name servers to use instead.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (isRulesOnly(project)) return;
  const outcomes = await Promise.allSettled([
    given('TEST_REDIS_URL', pingRedis) ?? ownRedis(),
    given('TEST_POSTGRES_URL', pingPostgres) ?? ownPostgres(),
  ]);
  const [redis, postgres] = outcomes;
  const dispose = async () => {
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') await outcome.value.dispose();
    }
  };
  if (redis.status === 'rejected' || postgres.status === 'rejected') {
    await dispose();
    const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    throw reasons.length === 1 ? reasons[0] : new AggregateError(reasons, reasons.join('\n'));
  }
  announce('Redis', redis.value);
  announce('PostgreSQL', postgres.value);
  project.provide('redisUrl', redis.value.url);
  project.provide('postgresUrl', postgres.value.url);
  return dispose;
}

/** The server that an environment variable names; null when it is not set. */
function given(variable: string, ping: (url: string) => Promise<void>): Promise<Shared> | null {
  const url = process.env[variable];
  if (url === undefined || url === '') return null;
  return ping(url).then(
    () => ({ url, how: variable, dispose: async () => {} }),
    (cause: unknown) => {
      throw new Error(`no server answers at ${variable}: ${String(cause)}`, { cause });
    },
  );
}

function announce(name: string, { how, url }: Shared): void {
  console.log(`${name} for the tests: ${how} at ${new URL(url).host}`);
}
