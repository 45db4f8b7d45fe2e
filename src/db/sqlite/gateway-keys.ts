import type { SessionRef } from '../../app/ports/event-store.ts';
import type { GatewayKeys } from '../../app/ports/gateway-keys.ts';
import type { Database, Statement } from './driver.ts';
import type { GroupWriter } from './group-writer.ts';
import { reading } from './store-error.ts';

type Row = { key: string; session_id: string };

export class SqliteGatewayKeys implements GatewayKeys {
  readonly #writer: Pick<GroupWriter, 'alone'>;
  readonly #get: Statement<[tenant: string, key: string], Row>;
  readonly #write: (ref: SessionRef, keys: readonly string[]) => void;

  constructor(db: Database, writer: Pick<GroupWriter, 'alone'>) {
    this.#writer = writer;
    this.#get = db.prepare('SELECT key, session_id FROM gateway_keys WHERE tenant = ? AND key = ?');
    const put = db.prepare<[string, string, string], unknown>(
      `INSERT INTO gateway_keys (tenant, key, session_id)
       SELECT tenant, ?, session_id FROM sessions WHERE tenant = ? AND session_id = ?
       ON CONFLICT (tenant, key) DO UPDATE SET session_id = excluded.session_id`,
    );
    const write = db.transaction(({ tenant, session_id }: SessionRef, keys: readonly string[]) => {
      for (const key of keys) put.run(key, tenant, session_id);
    });
    this.#write = (ref, keys) => write.immediate(ref, keys);
  }

  async note(ref: SessionRef, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#writer.alone(() => this.#write(ref, keys));
  }

  async find(tenant: string, keys: readonly string[]): Promise<Row | null> {
    return reading(() => {
      for (const key of keys) {
        const row = this.#get.get(tenant, key);
        if (row !== undefined) return row;
      }
      return null;
    });
  }
}
