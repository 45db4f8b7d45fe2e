import { Client } from 'pg';

/** Does something on a PostgreSQL server, over a connection of its own that is closed afterwards. */
export async function onServer<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
