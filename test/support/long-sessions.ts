import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from './api-server.ts';

// Sessions that are posted whole, compacted once, and read.

/** A server that takes a long session in one request. */
export function startForLongSessions(): Promise<ApiServer> {
  const limits = {
    body_bytes: 20_000_000,
    items_per_request: 2_000,
    json_depth: 64,
    json_values: 2_000_000,
    rate_per_minute_per_key: null,
  };
  return startApi({ limits });
}

let sessions = 0;

/** Creates a session and posts the items; gives its id. */
export async function openSession(
  api: ApiServer,
  items: readonly Item[],
  settings: JsonObject = {},
): Promise<string> {
  sessions += 1;
  const id = `long-${sessions}`;
  const body = {
    id,
    format: 'anthropic',
    profile: 'default',
    context_window: 64_000,
    config: { auto_compact_enabled: false },
    ...settings,
  };
  const created = await send(api, 'POST', '/sessions', { body });
  if (created.status !== 201) throw new Error(created.text);
  const posted = await send(api, 'POST', `/sessions/${id}/items`, { body: [...items] });
  if (posted.status !== 201) throw new Error(posted.text);
  return id;
}

export async function compact(
  api: ApiServer,
  id: string,
  mode: 'full' | 'micro' = 'full',
): Promise<void> {
  const reply = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode } });
  if (reply.status !== 202) throw new Error(reply.text);
  await api.work(api.dispatched.at(-1));
  const done = await send(api, 'GET', `/sessions/${id}/compactions/${reply.body.id}`);
  if (done.body.outcome !== `${mode}_compacted`) throw new Error(done.text);
}

export async function contextOf(api: ApiServer, id: string, query = ''): Promise<Item[]> {
  const { body } = await send(api, 'GET', `/sessions/${id}/context${query}`);
  return body.items as Item[];
}

/** The context after the items and one compaction. */
export async function afterCompaction(
  api: ApiServer,
  items: readonly Item[],
  settings: JsonObject = {},
  mode: 'full' | 'micro' = 'full',
): Promise<Item[]> {
  const id = await openSession(api, items, settings);
  await compact(api, id, mode);
  return contextOf(api, id);
}
