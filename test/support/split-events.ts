import { readText } from '../house/sources.ts';
import { onServer } from './servers/on-server.ts';

/** What docs/scale.md gives to those who split the table. */
const [, SPLIT] = /```sql\n(BEGIN;[^`]*)```/.exec(readText('docs/scale.md')) ?? [];

/** How many partitions it makes. */
export const PARTITIONS = 32;

/** Splits the events of the database into partitions, as docs/scale.md says. */
export async function splitEvents(url: string): Promise<void> {
  if (SPLIT === undefined) throw new Error('docs/scale.md does not say how to split the table');
  await onServer(url, (client) => client.query(SPLIT));
}
