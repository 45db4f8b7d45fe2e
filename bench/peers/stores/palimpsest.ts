import { join } from 'node:path';
import { chatMessage } from '../message.ts';
import { appendAll, call, startOurs } from '../palimpsest.ts';
import { databaseOf, type OpenStore, type StorePeer } from '../peer.ts';

const SESSION = 'bench';
/** Nothing shall be compacted here: all systems read the whole history. */
const SETTINGS = {
  id: SESSION,
  format: 'openai-chat',
  context_window: 100_000_000,
  config: { auto_compact_enabled: false },
};

export const oursOnSqlite: StorePeer = ({ folder }) =>
  open({ DATABASE_URL: `file:${join(folder, 'palimpsest.db')}` });

export const oursOnPostgres: StorePeer = (place) => open({ DATABASE_URL: databaseOf(place) });

async function open(settings: Record<string, string>): Promise<OpenStore> {
  const service = await startOurs(settings);
  const known = await service.fetch(new Request(`http://127.0.0.1/sessions/${SESSION}`));
  await known.arrayBuffer();
  if (known.status === 404) await call(service, 'POST', '/sessions', SETTINGS);
  return {
    append: (message) => appendAll(service, SESSION, [chatMessage(message)]),
    fill: (messages) => appendAll(service, SESSION, messages.map(chatMessage)),
    read: async () => {
      const { items } = await call(service, 'GET', `/sessions/${SESSION}/context`);
      if (!Array.isArray(items)) throw new Error('a context has items');
      return items.length;
    },
    close: service.stop,
  };
}
