import { Redis, type RedisOptions } from 'ioredis';
import { readRedisUrl, redisServers } from './redis-address.ts';

/** Reconnects for ever, from 50 ms on, at last every two seconds. */
const LONGEST_PAUSE_MS = 2000;
const reconnectAfterMs = (times: number) =>
  Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE_MS);

/** A connection to Redis, or to the master that the sentinels name. `url`: as `REDIS_URL` takes it. */
export function openRedis(url: string, options: RedisOptions): Redis {
  const address = readRedisUrl(url);
  if (address.kind === 'unusable') throw new Error(`the URL of Redis: ${address.why}`);
  if (address.kind === 'server') return new Redis(address.url, options);
  const { sentinels, master, db, username, password } = address;
  return new Redis({
    ...options,
    ...{ sentinels, name: master, db },
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
  });
}

/** Every connection of one engine, so that none is left open when it stops. */
export class RedisClients {
  readonly #url: string;
  readonly #clients: Redis[] = [];

  /** `url`: as `REDIS_URL` takes it. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Host and port of the server, or of the sentinels, for messages. */
  get address(): string {
    return redisServers(this.#url);
  }

  /** A connection that is being opened. `onError` is told of every failure of it, often repeatedly. */
  open(options: RedisOptions, onError: (error: Error) => void): Redis {
    const client = this.#own(
      openRedis(this.#url, {
        retryStrategy: reconnectAfterMs,
        sentinelRetryStrategy: reconnectAfterMs,
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
