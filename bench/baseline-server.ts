import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { serve } from '@hono/node-server';
import BetterSqlite3 from 'better-sqlite3';
import { Hono } from 'hono';
import { z } from 'zod';

/*
 * The least that a durable append can cost on this stack: JSON, a schema, one row per item, all rows
 * of a turn of the event loop in one transaction with fsync. No sessions, no tokens, no log, no keys.
 */

const path = process.argv[2];
if (path === undefined) throw new Error('usage: baseline-server.ts DATABASE');
mkdirSync(dirname(path), { recursive: true });
const db = new BetterSqlite3(path);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`CREATE TABLE items (session_id TEXT, seq INTEGER, data TEXT, PRIMARY KEY (session_id, seq))
  WITHOUT ROWID`);
const insert = db.prepare('INSERT INTO items VALUES (?, ?, ?)');
const itemSchema = z.looseObject({ role: z.enum(['user', 'assistant']), content: z.string() });

type Waiting = { session: string; data: string; answer: (seq: number) => void };
const lengths = new Map<string, number>();
let queue: Waiting[] = [];

const writeGroup = db.transaction((group: Waiting[]) =>
  group.map(({ session, data }) => {
    const seq = (lengths.get(session) ?? 0) + 1;
    lengths.set(session, seq);
    insert.run(session, seq, data);
    return seq;
  }),
);

function flush(): void {
  const group = queue;
  queue = [];
  const seqs = writeGroup(group);
  for (const [index, { answer }] of group.entries()) answer(seqs[index] ?? 0);
}

function append(session: string, data: string): Promise<number> {
  return new Promise((answer) => {
    if (queue.length === 0) setImmediate(flush);
    queue.push({ session, data, answer });
  });
}

const app = new Hono();
app.post('/sessions/:id/items', async (c) => {
  const item = itemSchema.parse(await c.req.json());
  const seq = await append(c.req.param('id'), JSON.stringify(item));
  return c.json({ seq }, 201);
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});
