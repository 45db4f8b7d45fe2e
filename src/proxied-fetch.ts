import type { RequestInit as UndiciInit } from 'undici';
import type { Proxies } from './api/gateway/proxies.ts';
import { openConnections } from './api/gateway/send.ts';

/** `fetch` by way of the proxies, which models and hooks are called with; that of Node where there are none. */
export function proxiedFetch(proxies: Proxies | null): typeof fetch {
  if (proxies === null) return fetch;
  const connections = openConnections(proxies);
  return async (input, init) => {
    const client = await connections();
    const url = input instanceof Request ? input.url : String(input);
    // Node's own types are those of the undici that it came with.
    const sent = { ...init, dispatcher: client.dispatcherFor(url) } as UndiciInit;
    return (await client.fetch(url, sent)) as unknown as Response;
  };
}
