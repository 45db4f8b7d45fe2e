import { createClient, type PalimpsestClient } from './client/client.ts';

export type InProcess = {
  client: PalimpsestClient;
  /** The service as a function from request to response, for other clients. */
  fetch: (request: Request) => Promise<Response>;
  /** Lets what is under way end, and closes the store. */
  stop: () => Promise<void>;
};

/** Where it answers, to itself alone. */
const URL_HERE = 'http://127.0.0.1';

const DEFAULTS = {
  DATABASE_URL: 'file::memory:',
  LOG_LEVEL: 'error',
  // A test or a small tool has nobody else to keep waiting.
  PALIMPSEST_THREADS: '0',
};

/**
 * The whole service inside this process, without a port: for tests and small tools. `settings` are the
 * variables of .env.example, of which nothing is read from the environment; by default everything is in
 * memory, and gone after `stop`. Throws where a setting is wrong or the store cannot be opened.
 */
export async function startInProcess(
  settings: Readonly<Record<string, string>> = {},
): Promise<InProcess> {
  // Not before: whoever only talks to a service elsewhere need not load one.
  const [{ readSettings }, { startService }] = await Promise.all([
    import('./config.ts'),
    import('./service.ts'),
  ]);
  const environment = { ...DEFAULTS, ...settings };
  const service = await startService(readSettings(environment), environment);
  await service.takeUpPending();
  const fetch = async (request: Request) => service.fetch(request);
  const key = /^[^:]*:([^,]*)/.exec(settings.PALIMPSEST_API_KEYS ?? '')?.[1];
  const options = { url: URL_HERE, fetch, ...(key !== undefined && { key }) };
  return { client: createClient(options), fetch, stop: service.stop };
}
