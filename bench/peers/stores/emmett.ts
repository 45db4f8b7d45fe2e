import { join } from 'node:path';
import type { Event } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { getSQLiteEventStore } from '@event-driven-io/emmett-sqlite';
import { type ChatMessage, chatMessage, type Message } from '../message.ts';
import { databaseOf, type StorePeer } from '../peer.ts';

const STREAM = 'session-bench';

type Appended = Event<'message.appended', ChatMessage>;

const eventOf = (message: Message): Appended => ({
  type: 'message.appended',
  data: chatMessage(message),
});

export const emmettOnSqlite: StorePeer = async ({ folder }) => {
  const store = getSQLiteEventStore({ fileName: join(folder, 'emmett.db') });
  return {
    append: async (message) => {
      await store.appendToStream<Appended>(STREAM, [eventOf(message)]);
    },
    fill: async (messages) => {
      for (let start = 0; start < messages.length; start += BATCH) {
        const events = messages.slice(start, start + BATCH).map(eventOf);
        await store.appendToStream<Appended>(STREAM, events);
      }
    },
    read: async () => (await store.readStream<Appended>(STREAM)).events.length,
    // It opens and closes the file for each call.
    close: async () => {},
  };
};

/** SQLite takes so many variables in a statement. */
const BATCH = 500;

export const emmettOnPostgres: StorePeer = async (place) => {
  const store = getPostgreSQLEventStore(databaseOf(place));
  return {
    append: async (message) => {
      await store.appendToStream<Appended>(STREAM, [eventOf(message)]);
    },
    fill: async (messages) => {
      for (let start = 0; start < messages.length; start += BATCH) {
        const events = messages.slice(start, start + BATCH).map(eventOf);
        await store.appendToStream<Appended>(STREAM, events);
      }
    },
    read: async () => (await store.readStream<Appended>(STREAM)).events.length,
    close: () => store.close(),
  };
};
