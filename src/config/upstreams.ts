import { SettingsError } from './settings-error.ts';

const VARIABLE = /^PALIMPSEST_UPSTREAM_([A-Z0-9][A-Z0-9_]{0,39})$/;

/** The providers' own addresses. */
const DEFAULTS = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' };

export function isUpstreamVariable(name: string): boolean {
  return VARIABLE.test(name);
}

/**
 * Where the gateway sends requests, by name (SPEC 2, section 23): `PALIMPSEST_UPSTREAM_MY_VLLM` is
 * `my-vllm`. Throws SettingsError for what is no address of a server.
 */
export function readUpstreams(
  variables: readonly (readonly [string, string | undefined])[],
): Readonly<Record<string, string>> {
  const set = variables.flatMap(([variable, address]) => {
    const name = VARIABLE.exec(variable)?.[1];
    if (name === undefined || address === undefined) return [];
    return [[name.toLowerCase().replaceAll('_', '-'), checked(variable, address)] as const];
  });
  return { ...DEFAULTS, ...Object.fromEntries(set) };
}

/** Never shows the address: it may hold a password. */
function checked(variable: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SettingsError(
      `${variable}: must be the base URL of a provider, such as https://api.openai.com/v1`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new SettingsError(
      `${variable}: must hold no user, password, query or fragment: clients send their own credential`,
    );
  }
  return address;
}
