import { BlockList, isIP } from 'node:net';

/** The proxies on the way to upstreams, by the scheme of these. */
export type Proxies = {
  http: string | null;
  https: string | null;
  /** What is asked without one, as NO_PROXY names it: hosts and what is below them, addresses, networks, `*`. */
  past: readonly string[];
};

/** The proxy on the way to an address; null: it is asked without one, as servers of this machine are. */
export function proxyFor(proxies: Proxies, { protocol, hostname, port }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  const asked = { host, port: port || (protocol === 'https:' ? '443' : '80') };
  if (isOfThisMachine(host) || proxies.past.some((entry) => names(entry, asked))) return null;
  return protocol === 'https:' ? proxies.https : proxies.http;
}

function isOfThisMachine(host: string): boolean {
  if (isIP(host) === 4) return /^(?:127\.|0\.0\.0\.0$)/.test(host);
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}

function names(entry: string, asked: { host: string; port: string }): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(asked.host, entry);
  const address = entry.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return isInNetwork(asked.host, address);
  const [, named = entry, port = asked.port] = /^(.+):(\d+)$/.exec(entry) ?? [];
  const host = named.toLowerCase().replace(/^\*?\.|^\[|\]$/g, '');
  return port === asked.port && (asked.host === host || asked.host.endsWith(`.${host}`));
}

/** Whether a host is an address in a network (`10.0.0.0/8`), or the one that is named. */
function isInNetwork(host: string, network: string): boolean {
  const family = isIP(host);
  const [base = '', bits = family === 4 ? '32' : '128'] = network.split('/');
  const prefix = Number(bits);
  if (family === 0 || isIP(base) !== family) return false;
  if (!/^\d{1,3}$/.test(bits) || prefix > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(base, prefix, type);
  return list.check(host, type);
}
