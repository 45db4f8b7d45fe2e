import type { Pool } from 'pg';
import type { EventRow, SessionRef } from '../../app/ports/event-store.ts';
import type { FoundKey, GatewayKeys, KeyPlace, NotedItem } from '../../app/ports/gateway-keys.ts';
import { EVENT_COLUMNS } from '../event-query.ts';
import { notedItem } from '../noted-item.ts';
import { refuseArchived } from '../session-row.ts';
import { select } from './open-pool.ts';
import { storeErrors } from './store-error.ts';

type Row = { key: string; session_id: string };

export class PostgresGatewayKeys implements GatewayKeys {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async note({ tenant, session_id }: SessionRef, noted: readonly KeyPlace[]): Promise<void> {
    if (noted.length === 0) return;
    const places = new Map(noted.map(({ key, version }) => [key, version]));
    // In one order everywhere: two writers of the same keys would wait for each other.
    const keys = [...places.keys()].sort();
    await storeErrors(
      select(this.#pool, {
        name: 'note-gateway-keys',
        text: `INSERT INTO gateway_keys (tenant, key, session_id, version)
               SELECT s.tenant, k.key, s.session_id, k.version
               FROM sessions s, unnest($3::text[], $4::bigint[]) AS k (key, version)
               WHERE s.tenant = $1 AND s.session_id = $2
               ON CONFLICT (tenant, key)
               DO UPDATE SET session_id = excluded.session_id, version = excluded.version`,
        values: [tenant, session_id, keys, keys.map((key) => places.get(key) ?? null)],
      }),
    );
  }

  async find(tenant: string, keys: readonly string[]): Promise<FoundKey | null> {
    if (keys.length === 0) return null;
    const [row] = await storeErrors(
      select<FoundKey>(this.#pool, {
        name: 'find-gateway-key',
        text: `SELECT g.key, g.session_id, g.version::float8 AS version
               FROM unnest($2::text[]) WITH ORDINALITY AS k (key, place)
               JOIN gateway_keys g ON g.tenant = $1 AND g.key = k.key
               ORDER BY k.place LIMIT 1`,
        values: [tenant, [...keys]],
      }),
    );
    return row ?? null;
  }

  async items(
    tenant: string,
    keys: readonly string[],
    most_bytes: number,
  ): Promise<NotedItem[] | null> {
    if (keys.length === 0) return [];
    // One row more than fits tells that there are more.
    const rows = await storeErrors(
      select<Row & EventRow & { upto: number; archive_file: string | null }>(this.#pool, {
        name: 'find-gateway-items',
        text: `SELECT key, session_id, archive_file, ${EVENT_COLUMNS}, upto::float8 AS upto
               FROM (SELECT g.key, g.session_id, s.archive_file,
                            e.version, e.type, e.at, e.schema_version, e.data, e.hash,
                            coalesce(octet_length(e.data), 0) AS size,
                            sum(coalesce(octet_length(e.data), 0)) OVER (ORDER BY g.key) AS upto
                     FROM gateway_keys g JOIN sessions s USING (tenant, session_id)
                     LEFT JOIN events e ON e.tenant = g.tenant AND e.session_id = g.session_id
                       AND e.version = g.version
                     WHERE g.tenant = $1 AND g.key = ANY($2::text[]) AND (e.hash IS NOT NULL
                       OR (g.version IS NOT NULL AND s.archive_file IS NOT NULL))) AS sized
               WHERE upto - size <= $3`,
        values: [tenant, [...new Set(keys)], most_bytes],
      }),
    );
    for (const { session_id, archive_file } of rows) {
      refuseArchived({ tenant, session_id }, archive_file);
    }
    if (rows.some(({ upto }) => upto > most_bytes)) return null;
    return rows.map(({ upto: _, archive_file: _file, ...row }) => notedItem(row));
  }
}
