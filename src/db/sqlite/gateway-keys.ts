import type { EventRow, SessionRef } from '../../app/ports/event-store.ts';
import type { FoundKey, GatewayKeys, KeyPlace, NotedItem } from '../../app/ports/gateway-keys.ts';
import { notedItem } from '../noted-item.ts';
import { refuseArchived } from '../session-row.ts';
import type { Database, Statement } from './driver.ts';
import type { GroupWriter } from './group-writer.ts';
import { reading } from './store-error.ts';

type Row = { key: string; session_id: string };
type ItemRow = Row & EventRow & { archive_file: string | null };

export class SqliteGatewayKeys implements GatewayKeys {
  readonly #writer: Pick<GroupWriter, 'alone'>;
  readonly #get: Statement<[tenant: string, key: string], FoundKey>;
  readonly #getItem: Statement<[tenant: string, key: string], ItemRow>;
  readonly #write: (ref: SessionRef, places: readonly KeyPlace[]) => void;

  constructor(db: Database, writer: Pick<GroupWriter, 'alone'>) {
    this.#writer = writer;
    this.#get = db.prepare(
      'SELECT key, session_id, version FROM gateway_keys WHERE tenant = ? AND key = ?',
    );
    this.#getItem = db.prepare(
      `SELECT g.key, g.session_id, s.archive_file, e.version, e.type, e.at, e.schema_version, e.data, e.hash
       FROM gateway_keys g JOIN sessions s USING (tenant, session_id)
       LEFT JOIN events e ON e.tenant = g.tenant AND e.session_id = g.session_id
         AND e.version = g.version
       WHERE g.tenant = ? AND g.key = ?
         AND (e.hash IS NOT NULL OR (g.version IS NOT NULL AND s.archive_file IS NOT NULL))`,
    );
    const put = db.prepare<[string, number | null, string, string], unknown>(
      `INSERT INTO gateway_keys (tenant, key, session_id, version)
       SELECT tenant, ?, session_id, ? FROM sessions WHERE tenant = ? AND session_id = ?
       ON CONFLICT (tenant, key)
       DO UPDATE SET session_id = excluded.session_id, version = excluded.version`,
    );
    const write = db.transaction(
      ({ tenant, session_id }: SessionRef, places: readonly KeyPlace[]) => {
        for (const { key, version } of places) put.run(key, version, tenant, session_id);
      },
    );
    this.#write = (ref, places) => write.immediate(ref, places);
  }

  async note(ref: SessionRef, keys: readonly KeyPlace[]): Promise<void> {
    if (keys.length === 0) return;
    // Nobody waits for them: what a power cut takes back could as well have come too late for it.
    await this.#writer.alone(() => this.#write(ref, keys), { isDurable: false });
  }

  async find(tenant: string, keys: readonly string[]): Promise<FoundKey | null> {
    return reading(() => {
      for (const key of keys) {
        const row = this.#get.get(tenant, key);
        if (row !== undefined) return row;
      }
      return null;
    });
  }

  async items(
    tenant: string,
    keys: readonly string[],
    most_bytes: number,
  ): Promise<NotedItem[] | null> {
    return reading(() => {
      const items: NotedItem[] = [];
      let left = most_bytes;
      for (const key of keys) {
        const row = this.#getItem.get(tenant, key);
        if (row === undefined) continue;
        const { archive_file, ...found } = row;
        refuseArchived({ tenant, session_id: row.session_id }, archive_file);
        left -= Buffer.byteLength(found.data);
        if (left < 0) return null;
        items.push(notedItem(found));
      }
      return items;
    });
  }
}
