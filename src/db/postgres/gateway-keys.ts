import type { Pool } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import type { GatewayKeys } from '../../app/ports/gateway-keys.ts';
import { select } from './open-pool.ts';
import { storeErrors } from './store-error.ts';

type Row = { key: string; session_id: string };

export class PostgresGatewayKeys implements GatewayKeys {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async note({ tenant, session_id }: SessionRef, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    // In one order everywhere: two writers of the same keys would wait for each other.
    const sorted = [...new Set(keys)].sort();
    await storeErrors(
      select(this.#pool, {
        name: 'note-gateway-keys',
        text: `INSERT INTO gateway_keys (tenant, key, session_id)
               SELECT s.tenant, k.key, s.session_id
               FROM sessions s, unnest($3::text[]) AS k (key)
               WHERE s.tenant = $1 AND s.session_id = $2
               ON CONFLICT (tenant, key) DO UPDATE SET session_id = excluded.session_id`,
        values: [tenant, session_id, sorted],
      }),
    );
  }

  async find(tenant: string, keys: readonly string[]): Promise<Row | null> {
    if (keys.length === 0) return null;
    const [row] = await storeErrors(
      select<Row>(this.#pool, {
        name: 'find-gateway-key',
        text: `SELECT g.key, g.session_id
               FROM unnest($2::text[]) WITH ORDINALITY AS k (key, place)
               JOIN gateway_keys g ON g.tenant = $1 AND g.key = k.key
               ORDER BY k.place LIMIT 1`,
        values: [tenant, [...keys]],
      }),
    );
    return row ?? null;
  }
}
