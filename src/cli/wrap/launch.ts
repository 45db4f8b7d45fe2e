/** How a program is started so that its calls of a model go through the service. */
export type Launch = {
  /** What stands before the arguments of the user; for `run`, with them. */
  args: string[];
  /** Set beside the environment of the user. */
  environment: { [name: string]: string };
  /** What the user should know: values of theirs that were kept. */
  warnings: string[];
};

/** Where the program would have gone by itself: the upstreams of the service, by the name of theirs. */
export type Upstreams = { [variable: string]: string };

export type Environment = { [name: string]: string | undefined };

/** The service as a program sees it: an address without a slash at its end, and our key, if it has any. */
export type Address = { url: string; key: string | null };

const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy'];
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * What leads calls to a service of this machine past the proxies that the environment names: the programs
 * would ask these for it, and no proxy can reach it. Nothing for a service elsewhere.
 */
export function pastProxies(url: string, environment: Environment): { [name: string]: string } {
  const { hostname } = new URL(url);
  const isProxied = PROXIES.some((name) => environment[name] || environment[name.toUpperCase()]);
  if (!isProxied || !LOOPBACK.has(hostname)) return {};
  const { no_proxy: lower, NO_PROXY: upper } = environment;
  const host = hostname.replace(/[[\]]/g, '');
  const withHost = (own: string | undefined) => {
    // Behind another host a star is no longer all of them.
    if (own?.trim() === '*') return own;
    return own ? `${own},${host}` : host;
  };
  return { NO_PROXY: withHost(upper ?? lower), no_proxy: withHost(lower ?? upper) };
}

/** What the user's own arguments give for an option, in either way of writing it. */
export function valuesOf(own: readonly string[], ...names: string[]): string[] {
  return own.flatMap((word, at) => {
    if (names.includes(word)) return own.slice(at + 1, at + 2);
    const long = names.find((name) => name.startsWith('--') && word.startsWith(`${name}=`));
    return long === undefined ? [] : [word.slice(long.length + 1)];
  });
}

/** Throws where a program cannot be led through the service. */
export class WrapError extends Error {
  override readonly name = 'WrapError';
}

/** What our tools are called in the program; a server of the user by this name is theirs. */
export const MCP_SERVER = 'palimpsest';

/** The user's own server has the name of ours, and is kept. */
export const OWN_SERVER =
  `an MCP server "${MCP_SERVER}" of your own is kept: the agent has the tools that it offers, and ` +
  'those of this service only if that is their address';
