import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { StoreUnavailableError } from '../../app/ports/store-unavailable-error.ts';
import { urlsOfHosts } from '../../domain/url-text.ts';

/** How long a server may take to say whether it takes writes, in milliseconds. */
const ANSWER_MS = 2_000;
/** Between two rounds of asking while no server takes writes, in milliseconds. */
const PAUSE_MS = 250;

/**
 * Which of several servers takes writes: after a failover it is another one. Asked at the start, and
 * whenever a connection has ended; a single server is never asked.
 */
export class Hosts {
  readonly #urls: readonly string[];
  #current: string;
  #isSearching = false;
  readonly #closing = new AbortController();

  constructor(url: string) {
    this.#urls = urlsOfHosts(url);
    this.#current = this.#urls[0] ?? url;
  }

  /** For the next connection: the server that took writes when they were last asked. */
  get url(): string {
    return this.#current;
  }

  /** Asks all servers at once. Throws `StoreUnavailableError` when none of them takes writes. */
  async find(): Promise<void> {
    if (this.#urls.length === 1) return;
    try {
      this.#current = await Promise.any(this.#urls.map(askForWrites));
    } catch (error) {
      const reasons = error instanceof AggregateError ? error.errors.map(String) : [String(error)];
      const cause = new Error(`no server of the list takes writes (${reasons.join('; ')})`);
      throw new StoreUnavailableError('not_written', cause);
    }
  }

  /** A connection has ended: asks in the background until a server takes writes. */
  lookAgain(): void {
    if (this.#isSearching || this.#urls.length === 1) return;
    this.#isSearching = true;
    void this.#search().finally(() => {
      this.#isSearching = false;
    });
  }

  close(): void {
    this.#closing.abort();
  }

  async #search(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        return await this.find();
      } catch {
        // Who needs a connection meanwhile is told so by it.
        await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }
}

/** A kind of client that connects to the server that takes writes. */
export function clientsOf(hosts: Hosts): typeof Client {
  return class extends Client {
    constructor(config: ClientConfig = {}) {
      super({ ...config, connectionString: hosts.url });
      this.once('end', () => hosts.lookAgain());
    }
  };
}

/** Resolves with the URL; rejects for a server that is away or a standby. */
async function askForWrites(url: string): Promise<string> {
  const client = new Client({
    connectionString: url,
    fallback_application_name: 'palimpsest',
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ is_standby: boolean }>(
      'SELECT pg_is_in_recovery() AS is_standby',
    );
    if (rows[0]?.is_standby !== false)
      throw new Error(`${client.host}:${client.port} is a standby`);
    return url;
  } finally {
    // Not waited for: a server that has gone without a word does not answer this either.
    void client.end().catch(() => {});
  }
}
