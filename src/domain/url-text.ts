/** The protocol with its colon; empty when it is no URL. */
export function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

/** Never the URL itself: it may hold a password. */
export function shownScheme(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  return scheme === undefined ? 'the value' : `a URL that starts with "${scheme}:"`;
}

const SEVERAL =
  /^(?<before>[a-z+]+:\/\/(?:[^/?]*@)?)(?<hosts>[^/?@]*,[^/?@]*)(?<after>(?:[/?].*)?)$/i;

/**
 * A URL for each server of one that may name several, as libpq writes them:
 * `postgres://USER:PASSWORD@ONE:5432,OTHER:5432/DATABASE`.
 */
export function urlsOfHosts(url: string): string[] {
  const { before = '', hosts = '', after = '' } = SEVERAL.exec(url)?.groups ?? {};
  return hosts === '' ? [url] : hosts.split(',').map((host) => `${before}${host}${after}`);
}
