import { readSettings } from '../../config.ts';
import { listen } from '../../listen.ts';
import { startService } from '../../service.ts';
import { isService, usualAddress, usualDatabase } from '../usual-places.ts';
import type { Address, Environment, Upstreams } from './launch.ts';

/** A service that programs are led through. */
type GatewayService = Address & {
  /** Where its pages are afterwards, and the command that shows them again where it has ended. */
  pages: string;
  serve: string | null;
  close: () => Promise<void>;
};

export type WrapFlags = { url?: string; model?: string };

/**
 * The service that runs already, at `--url` (or `PALIMPSEST_URL`), or where `palimpsest serve` listens; else, and for calls that
 * are to go where that one does not send them, one that runs in this process until it is closed.
 */
export async function findOrStart(
  flags: WrapFlags,
  environment: Environment,
  upstreams: Upstreams,
): Promise<GatewayService> {
  const { model, url = environment.PALIMPSEST_URL || undefined } = flags;
  const key = environment.PALIMPSEST_API_KEY || null;
  const asked = url?.replace(/\/+$/, '') ?? usualAddress(environment);
  const isOwn = url === undefined && (model !== undefined || Object.keys(upstreams).length > 0);
  if (!isOwn && (await isService(asked))) {
    return { url: asked, key, pages: asked, serve: null, close: async () => {} };
  }
  if (url !== undefined) {
    throw new Error(
      `no service answers at ${asked}: check --url (or PALIMPSEST_URL), or leave it out to start one for this run`,
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
    DATABASE_URL: usualDatabase(environment),
    PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
    // Wrapped programs are given the tools that placeholders speak of.
    PALIMPSEST_RECALL: 'true',
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
  const named =
    database.kind === 'sqlite' ? `DATABASE_URL=${inShell(`file:${database.path}`)} ` : '';
  return {
    url,
    key: null,
    pages: usualAddress(environment),
    serve: `${named}palimpsest serve`,
    close: async () => {
      await close();
      await service.stop();
    },
  };
}

/** A word as a shell takes it, whatever is in it: the line is there to be pasted. */
function inShell(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
