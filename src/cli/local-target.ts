import { randomUUID } from 'node:crypto';
import { LOCAL_TENANT } from '../api/http/auth.ts';
import { readSettings } from '../config.ts';
import { describeDatabase } from '../open-store.ts';
import { startService } from '../service.ts';
import { refuseMissingStore } from './existing-store.ts';
import type { Target } from './target.ts';

/**
 * The service in this process over the configured store, without a socket, for one tenant. It runs
 * the compactions that are requested through it, and those that a command takes up, by itself: a
 * command must not depend on whether workers are running. `isNew`: a store that is not there is made.
 * Throws SettingsError.
 */
export async function localTarget(
  tenant: string = LOCAL_TENANT,
  isNew: boolean = true,
): Promise<Target> {
  const settings = readSettings(process.env);
  if (!isNew) {
    refuseMissingStore(settings.database, ', or --url to the address of a service that is running');
  }
  if (tenant === LOCAL_TENANT && settings.api_keys.length > 0) {
    console.error('no key of PALIMPSEST_API_KEYS opens the tenant "local": name one with --tenant');
  }
  // Its key opens this process only.
  const key = randomUUID();
  const api_keys = tenant === LOCAL_TENANT ? [] : [{ name: tenant, key }];
  // Somebody sits before it: that its own request was answered stands in the answer.
  const log_level = process.env.LOG_LEVEL ? settings.log_level : 'warn';
  const service = await startService(
    { ...settings, role: 'all', queue: null, api_keys, rate_limit_per_minute: null, log_level },
    process.env,
  );
  return {
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (api_keys.length > 0) headers.set('authorization', `Bearer ${key}`);
      return service.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    },
    place: `the store ${describeDatabase(settings.database)}`,
    local: {
      store: service.store,
      server: settings.overrides,
      takeUp: (session_id, compaction_id) =>
        service.takeUp({ ref: { tenant, session_id }, compaction_id }),
    },
    close: service.stop,
  };
}
