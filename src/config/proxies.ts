import type { Proxies } from '../api/gateway/send.ts';
import { SettingsError } from './settings-error.ts';

/** No proxy reaches a server of this machine. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in small letters too, as other programs read them. Null
 * where none is named. Throws SettingsError for what is no address of a proxy.
 */
export function readProxies(environment: Environment): Proxies | null {
  const http = proxyIn(environment, 'HTTP_PROXY');
  const https = proxyIn(environment, 'HTTPS_PROXY') ?? http;
  const past = (environment.no_proxy || environment.NO_PROXY || '').trim();
  if (https === null || past === '*') return null;
  return { http, https, past: `${past},${LOOPBACK}` };
}

function proxyIn(environment: Environment, variable: string): string | null {
  const value = (environment[variable.toLowerCase()] || environment[variable])?.trim();
  if (!value) return null;
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && /^(?:https?|socks5):$/.test(new URL(address).protocol))
    return address;
  // Not the value: it may hold a password.
  throw new SettingsError(
    `${variable}: must be the address of a proxy, such as http://127.0.0.1:3128`,
  );
}
