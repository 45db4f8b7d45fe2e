import { Pool } from 'pg';
import { serveBaseline } from './baseline-app.ts';

/* One prepared INSERT per item, which commits by itself; as many connections as the service has. */

const CONNECTIONS = 10;

const url = process.argv[2];
if (url === undefined) throw new Error('usage: baseline-postgres.ts URL');
const pool = new Pool({ connectionString: url, max: CONNECTIONS });
await pool.query(
  'CREATE TABLE items (session_id text, seq integer, data text, PRIMARY KEY (session_id, seq))',
);

serveBaseline(async (...values) => {
  await pool.query({ name: 'insert', text: 'INSERT INTO items VALUES ($1, $2, $3)', values });
});
