import { z } from 'zod';
import { jsonOf, type Target } from '../src/cli/target.ts';
import type { Item } from '../src/domain/items/item.ts';
import type { JsonObject } from '../src/domain/json.ts';

const ITEMS_PER_APPEND = 500;

/** The few calls that the measurements make; each throws TargetError when refused. */
export class BenchClient {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  async create(id: string, settings: JsonObject): Promise<void> {
    await this.#post('/sessions', { id, ...settings });
  }

  async append(id: string, items: readonly Item[]): Promise<void> {
    for (let start = 0; start < items.length; start += ITEMS_PER_APPEND) {
      await this.#post(`/sessions/${id}/items`, items.slice(start, start + ITEMS_PER_APPEND));
    }
  }

  /** Compacts and waits for the end. Throws when it did not come to `outcome`. */
  async compact(id: string, mode: 'micro' | 'full', outcome: string): Promise<void> {
    const asked = outcome === 'proposed' ? { mode, propose: true } : { mode };
    const answer = await this.#post(`/sessions/${id}/compact`, asked, { prefer: 'wait=60' });
    const compaction = z.object({ outcome: z.string().nullable() }).parse(answer);
    if (compaction.outcome !== outcome) {
      throw new Error(`${mode} compaction of ${id}: ${JSON.stringify(answer)}`);
    }
  }

  async contextTokens(id: string): Promise<number> {
    const body = await jsonOf(await this.#target.request(`/sessions/${id}/context`));
    return z.object({ tokens: z.number() }).parse(body).tokens;
  }

  async #post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    return jsonOf(
      await this.#target.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
  }
}
