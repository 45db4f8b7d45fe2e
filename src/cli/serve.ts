import { readSettings, refuseOpenWithoutKeys, type ServerSettings } from '../config.ts';
import { listen } from '../listen.ts';
import { describeDatabase } from '../open-store.ts';
import { startService } from '../service.ts';
import { redisServers } from '../workers/engines/bullmq/redis-address.ts';
import { releaseNewSpace } from './new-space.ts';

/** Longer than requests and compactions under way are given, if all goes well. */
const STOP_LIMIT_MS = 20_000;

/** Runs the service until SIGINT or SIGTERM (SPEC section 17). Throws SettingsError. */
export async function serveCommand(): Promise<void> {
  // First of all: as the first process of a container it would not be ended by a signal it ignores.
  const stopped = stopSignal();
  const settings = readSettings(process.env);
  refuseOpenWithoutKeys(settings);
  const service = await startService(settings, process.env);
  const { url, close } = await listen(service, settings.host, settings.port);
  releaseNewSpace();
  console.log(`listening on ${url}`);
  console.log(`database:   ${describeDatabase(settings.database)}`);
  console.log(`jobs:       ${describeJobs(settings)}`);
  if (settings.role !== 'api') console.log(`summaries:  ${service.summarizer}`);
  if (settings.role !== 'worker') {
    console.log(`keys:       ${describeKeys(settings)}`);
    console.log(`reference:  ${url}/docs`);
    if (settings.has_inspector) console.log(`inspector:  ${url}/`);
  }
  await stopped;
  endAfter(STOP_LIMIT_MS);
  await close();
  await service.stop();
}

/** Ends the process when stopping hangs: a kill loses nothing, and supervisors do not wait for ever. */
function endAfter(ms: number): void {
  const timer = setTimeout(() => {
    console.error(`not everything has stopped within ${ms / 1000} seconds: ending anyway`);
    process.exit(1);
  }, ms);
  timer.unref();
}

function describeJobs({ queue, role }: ServerSettings): string {
  if (queue === null) {
    return 'in this process, which must be the only service on the database (set REDIS_URL for more)';
  }
  // Not the URL: it may hold a password.
  const redis = `redis at ${redisServers(queue.redis_url)}`;
  switch (role) {
    case 'all':
      return `${redis}, this process works on them too`;
    case 'api':
      return `${redis}, worked on by other processes (ROLE=worker)`;
    case 'worker':
      return `${redis}, worked on by this process`;
    default:
      return role satisfies never;
  }
}

function describeKeys({ api_keys }: ServerSettings): string {
  return api_keys.length === 0
    ? 'none, so only this machine can connect (set PALIMPSEST_API_KEYS to open it)'
    : api_keys.map(({ name }) => name).join(', ');
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
