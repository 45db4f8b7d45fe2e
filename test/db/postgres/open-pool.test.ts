import { Client, Pool } from 'pg';
import { expect, test } from 'vitest';
import { onSnapshot, select } from '../../../src/db/postgres/open-pool.ts';
import { freshDatabase } from '../../support/servers/fresh.ts';

test('a snapshot shows nothing of what others write meanwhile, and does not write', async () => {
  const { url, drop } = await freshDatabase();
  const other = new Client({ connectionString: url });
  const pool = new Pool({ connectionString: url, max: 1 });
  try {
    await other.connect();
    await other.query('CREATE TABLE numbers (number integer)');
    const count = { text: 'SELECT count(*)::integer AS count FROM numbers' };
    const seen = await onSnapshot(pool, async (client) => {
      const before = await select(client, count);
      await other.query('INSERT INTO numbers VALUES (1)');
      return [before, await select(client, count)];
    });
    expect(seen).toEqual([[{ count: 0 }], [{ count: 0 }]]);
    expect(await select(pool, count)).toEqual([{ count: 1 }]);
    await expect(
      onSnapshot(pool, (client) => client.query('INSERT INTO numbers VALUES (2)')),
    ).rejects.toThrow('read-only transaction');
  } finally {
    await pool.end();
    await other.end();
    await drop();
  }
});
