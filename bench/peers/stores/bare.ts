import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Pool } from 'pg';
import { chatMessage } from '../message.ts';
import { databaseOf, type StorePeer } from '../peer.ts';

/* One durable row for each message and nothing else: what no store that keeps all can be faster than. */

export const bareSqlite: StorePeer = async ({ folder }) => {
  const db = new Database(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY, data TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO items (data) VALUES (?)');
  return {
    append: async (message) => {
      insert.run(JSON.stringify(chatMessage(message)));
    },
    fill: async (messages) => {
      db.transaction(() => {
        for (const message of messages) insert.run(JSON.stringify(chatMessage(message)));
      })();
    },
    read: async () => {
      const rows = db.prepare<[], string>('SELECT data FROM items ORDER BY seq').pluck().all();
      return rows.map((data): unknown => JSON.parse(data)).length;
    },
    close: async () => {
      db.close();
    },
  };
};

export const barePostgres: StorePeer = async (place) => {
  const pool = new Pool({ connectionString: databaseOf(place), max: 1 });
  await pool.query(
    'CREATE TABLE IF NOT EXISTS items (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data text NOT NULL)',
  );
  const insert = (data: string) =>
    pool.query({ name: 'insert', text: 'INSERT INTO items (data) VALUES ($1)', values: [data] });
  return {
    append: async (message) => {
      await insert(JSON.stringify(chatMessage(message)));
    },
    fill: async (messages) => {
      await pool.query('BEGIN');
      for (const message of messages) await insert(JSON.stringify(chatMessage(message)));
      await pool.query('COMMIT');
    },
    read: async () => {
      const { rows } = await pool.query<{ data: string }>('SELECT data FROM items ORDER BY seq');
      return rows.map(({ data }): unknown => JSON.parse(data)).length;
    },
    close: () => pool.end(),
  };
};
