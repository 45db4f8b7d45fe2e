import { protocolOf, shownScheme, urlsOfHosts } from '../../../domain/url-text.ts';

/** Where Redis is: one server, or sentinels that know which server is the master. */
type RedisAddress = { kind: 'server'; url: string } | Sentinels;
/** `why` is for people, and never has the URL in it. */
type UnusableUrl = { kind: 'unusable'; why: string };

type Sentinels = {
  kind: 'sentinels';
  sentinels: { host: string; port: number }[];
  /** What the sentinels call the master. */
  master: string;
  username: string;
  password: string;
  /** The number of the database. */
  db: number;
};

const SENTINEL_PORT = 26_379;
const SENTINEL_PATH = /^\/(?<master>[\w.-]+)(?:\/(?<db>\d+))?$/;

/**
 * Reads `redis://…`, `rediss://…` (TLS), or `redis+sentinel://USER:PASSWORD@ONE:26379,OTHER:26379/MASTER/DB`,
 * whose user and password are those of Redis.
 */
export function readRedisUrl(url: string): RedisAddress | UnusableUrl {
  const protocols = new Set(urlsOfHosts(url).map(protocolOf));
  if (protocols.size === 1 && protocols.has('redis+sentinel:')) return sentinelsOf(url);
  if (!/^rediss?:$/.test(protocolOf(url))) {
    return unusable(
      `${shownScheme(url)} is not a known kind of queue: use ` +
        'redis://USER:PASSWORD@HOST:PORT, rediss:// for TLS, or ' +
        'redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/MASTER for sentinels',
    );
  }
  if (!/^\/?\d*$/.test(new URL(url).pathname)) {
    return unusable('the path must be the number of a database, such as redis://HOST:6379/0');
  }
  return { kind: 'server', url };
}

/** Host and port of each server, for people. */
export function redisServers(url: string): string {
  return urlsOfHosts(url)
    .map((one) => new URL(one))
    .map(({ hostname, host, port }) => (port === '' ? `${hostname || 'localhost'}:6379` : host))
    .join(',');
}

function sentinelsOf(url: string): Sentinels | UnusableUrl {
  const servers = urlsOfHosts(url).map((one) => new URL(one));
  const { pathname = '', username = '', password = '' } = servers[0] ?? {};
  const { master, db } = SENTINEL_PATH.exec(pathname)?.groups ?? {};
  if (master === undefined) {
    return unusable(
      'the path must be what the sentinels call the master, and may go on with the ' +
        'number of a database, such as redis+sentinel://HOST:26379/mymaster/0',
    );
  }
  const sentinels = servers.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? SENTINEL_PORT : Number(port),
  }));
  const credentials = {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  return { kind: 'sentinels', sentinels, master, ...credentials, db: Number(db ?? 0) };
}

function unusable(why: string): UnusableUrl {
  return { kind: 'unusable', why };
}
