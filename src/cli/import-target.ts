import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { LOCAL_TENANT } from '../api/http/auth.ts';
import type { EventStore } from '../app/ports/event-store.ts';
import { readSettings } from '../config.ts';
import type { World } from '../domain/session/world.ts';
import { startService } from '../service.ts';

/** Where imported items go: the REST API, over a socket or in this process. */
export type ImportTarget = {
  request: (path: string, init?: RequestInit) => Promise<Response>;
  /** The store behind it, which exports are restored into; null over a socket. */
  local: { store: EventStore; server: World['server'] } | null;
  close: () => Promise<void>;
};

/** The API at `url`; `PALIMPSEST_API_KEY` in the environment is sent as bearer key. */
export function remoteTarget(url: string): ImportTarget {
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new ImportError('--url: write the address of the service, such as http://127.0.0.1:8787');
  }
  const base = url.replace(/\/+$/, '');
  const key = process.env.PALIMPSEST_API_KEY;
  return {
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (key) headers.set('authorization', `Bearer ${key}`);
      try {
        return await fetch(base + path, { ...init, headers });
      } catch (error) {
        throw new ImportError(
          `the service at ${new URL(base).origin} cannot be reached${reasonOf(error)}: check --url, ` +
            'and start the service with "palimpsest serve" if it is not running',
          { cause: error },
        );
      }
    },
    local: null,
    close: async () => {},
  };
}

/**
 * The service in this process over the configured store, without a socket, for one tenant. It runs
 * the compactions of the sessions that are imported, and only those, by itself: an import must not
 * depend on whether workers are running.
 */
export async function localTarget(tenant: string): Promise<ImportTarget> {
  const settings = readSettings(process.env);
  if (tenant === LOCAL_TENANT && settings.api_keys.length > 0) {
    console.error('no key of PALIMPSEST_API_KEYS opens the tenant "local": name one with --tenant');
  }
  // Its key opens this process only.
  const key = randomUUID();
  const api_keys = tenant === LOCAL_TENANT ? [] : [{ name: tenant, key }];
  const service = await startService(
    { ...settings, role: 'all', queue: null, api_keys, rate_limit_per_minute: null },
    process.env,
  );
  return {
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (api_keys.length > 0) headers.set('authorization', `Bearer ${key}`);
      return service.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    },
    local: { store: service.store, server: settings.overrides },
    close: service.stop,
  };
}

/** The system's name for what is wrong, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? ` (${code})` : '';
}

/** A refusal of the API, with its own words. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

const problemSchema = z.object({
  detail: z.string().optional(),
  title: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** The JSON body of an answer; throws ImportError with the problem's detail when it is a refusal. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const problem = problemSchema.safeParse(safeJson(text));
  const first = problem.data?.errors?.[0];
  const detail = problem.data?.detail ?? problem.data?.title ?? text.slice(0, 200);
  throw new ImportError(
    `${response.status}: ${detail}${first ? ` (${first.path}: ${first.message})` : ''}`,
  );
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
