import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readSettings } from '../../config.ts';
import { listen } from '../../listen.ts';
import { startService } from '../../service.ts';
import type { Address, Environment, Upstreams } from './launch.ts';

const LOOK_MS = 1_000;
const health = z.object({ status: z.literal('ok'), version: z.string() });

/** A service that programs are led through. */
export type GatewayService = Address & {
  /** What to put before `palimpsest list` to see the sessions afterwards. */
  look: string;
  close: () => Promise<void>;
};

export type WrapFlags = { url?: string; model?: string };

/**
 * The service that runs already, at `--url` or where `palimpsest serve` listens; else, and for calls that
 * are to go where that one does not send them, one that runs in this process until it is closed.
 */
export async function findOrStart(
  { url, model }: WrapFlags,
  environment: Environment,
  upstreams: Upstreams,
): Promise<GatewayService> {
  const key = environment.PALIMPSEST_API_KEY || null;
  const usual = `http://127.0.0.1:${environment.PORT || 8787}`;
  const asked = url?.replace(/\/+$/, '') ?? usual;
  const isOwn = url === undefined && (model !== undefined || Object.keys(upstreams).length > 0);
  if (!isOwn && (await isThere(asked))) {
    return { url: asked, key, look: `palimpsest list --url ${asked}`, close: async () => {} };
  }
  if (url !== undefined) {
    throw new Error(
      `no service answers at ${asked}: check --url, or leave it out to start one for this run`,
    );
  }
  return start(environment, upstreams, model);
}

async function start(
  environment: Environment,
  upstreams: Upstreams,
  model: string | undefined,
): Promise<GatewayService> {
  const { PALIMPSEST_API_KEYS: _, PALIMPSEST_API_KEY: __, REDIS_URL: ___, ...rest } = environment;
  const settings = readSettings({
    ...upstreams,
    DATABASE_URL: `file:${usualDatabase(environment)}`,
    PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
    ...rest,
    ...(model === undefined ? {} : { PALIMPSEST_SUMMARIZATION_MODEL: model }),
    HOST: '127.0.0.1',
    PORT: '0',
    ROLE: 'all',
    // The terminal is the program's.
    LOG_LEVEL: 'silent',
  });
  const service = await startService(settings, process.env);
  const { url, close } = await listen(service, settings.host, settings.port);
  const { database } = settings;
  const named = database.kind === 'sqlite' ? `DATABASE_URL=file:${database.path} ` : '';
  return {
    url,
    key: null,
    look: `${named}palimpsest list`,
    close: async () => {
      await close();
      await service.stop();
    },
  };
}

/** Where the data of a user's programs belongs, and not in the folder that the agent works in. */
export function usualDatabase({ XDG_DATA_HOME }: Environment): string {
  const data = XDG_DATA_HOME || join(homedir(), '.local', 'share');
  return join(data, 'palimpsest', 'palimpsest.db');
}

async function isThere(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(LOOK_MS) });
    return health.safeParse(await answer.json()).success;
  } catch {
    return false;
  }
}
