import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { openSqlite } from '../src/db/sqlite/driver.ts';
import { serveBaseline } from './baseline-app.ts';

/* One row per item; all rows of a turn of the event loop share one transaction with fsync. */

const path = process.argv[2];
if (path === undefined) throw new Error('usage: baseline-sqlite.ts DATABASE');
mkdirSync(dirname(path), { recursive: true });
const db = openSqlite(path);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`CREATE TABLE items (session_id TEXT, seq INTEGER, data TEXT, PRIMARY KEY (session_id, seq))
  WITHOUT ROWID`);
const insert = db.prepare('INSERT INTO items VALUES (?, ?, ?)');

type Waiting = { row: [string, number, string]; answer: () => void };
let queue: Waiting[] = [];

const writeGroup = db.transaction((group: Waiting[]) => {
  for (const { row } of group) insert.run(...row);
});

function flush(): void {
  const group = queue;
  queue = [];
  writeGroup(group);
  for (const { answer } of group) answer();
}

serveBaseline(
  (...row) =>
    new Promise((answer) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ row, answer });
    }),
);
