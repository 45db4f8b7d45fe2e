import type { Proxies } from '../api/gateway/proxies.ts';
import { SettingsError } from './settings-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in small letters too, as other programs read them. Null
 * where none is named. Throws SettingsError for what is no address of a proxy.
 */
export function readProxies(environment: Environment): Proxies | null {
  const http = proxyIn(environment, 'HTTP_PROXY');
  const https = proxyIn(environment, 'HTTPS_PROXY');
  if (http === null && https === null) return null;
  const past = (environment.no_proxy || environment.NO_PROXY || '').split(/[,\s]/);
  return { http, https, past: past.filter((host) => host !== '') };
}

function proxyIn(environment: Environment, variable: string): string | null {
  const value = (environment[variable.toLowerCase()] || environment[variable])?.trim();
  if (!value) return null;
  // Names are looked up behind the proxy anyway, which is all that curl means by the h.
  const address = (value.includes('://') ? value : `http://${value}`).replace(
    /^socks5h:/,
    'socks5:',
  );
  if (isProxy(address)) return address;
  // Not the value: it may hold a password.
  throw new SettingsError(
    `${variable}: must be the address of a proxy, such as http://127.0.0.1:3128, a % in its password written %25`,
  );
}

function isProxy(address: string): boolean {
  try {
    const { protocol, username, password } = new URL(address);
    decodeURIComponent(username + password);
    return /^(?:https?|socks5):$/.test(protocol);
  } catch {
    return false;
  }
}
