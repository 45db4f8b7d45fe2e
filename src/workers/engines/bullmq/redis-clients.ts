import { Redis, type RedisOptions } from 'ioredis';

/** Reconnects for ever, from 50 ms on, at last every two seconds. */
const LONGEST_PAUSE_MS = 2000;
const reconnectAfterMs = (times: number) =>
  Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE_MS);

/** Every connection of one engine, so that none is left open when it stops. */
export class RedisClients {
  readonly #url: string;
  readonly #clients: Redis[] = [];

  /** `url`: redis:// or rediss://, with user, password and database number as usual. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Host and port of the server, for messages. */
  get address(): string {
    const { hostname, port } = new URL(this.#url);
    return `${hostname || 'localhost'}:${port || 6379}`;
  }

  /** A connection that is being opened. `onError` is told of every failure of it, often repeatedly. */
  open(options: RedisOptions, onError: (error: Error) => void): Redis {
    const client = this.#own(
      new Redis(this.#url, {
        retryStrategy: reconnectAfterMs,
        keepAlive: 10_000,
        disconnectTimeout: 500,
        ...options,
      }),
      onError,
    );
    // BullMQ makes its blocking connection this way, and would keep it to itself.
    client.duplicate = (override) =>
      this.#own(new Redis({ ...client.options, ...override }), onError);
    return client;
  }

  /** Cuts all connections; commands under way are rejected. */
  disconnect(): void {
    for (const client of this.#clients) if (client.status !== 'end') client.disconnect();
  }

  #own(client: Redis, onError: (error: Error) => void): Redis {
    client.on('error', (error) => {
      // It would go on in database 0, which may be that of somebody else.
      if (error.message.includes('DB index is out of range')) client.disconnect();
      onError(error);
    });
    this.#clients.push(client);
    return client;
  }
}
