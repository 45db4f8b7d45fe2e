import type { Item } from '../../../src/domain/items/item.ts';
import type { Received } from './provider.ts';

const CHARACTERS_PER_TOKEN = 4;

/** What a provider of Responses keeps: answers, which requests go on from, and items, which they name. */
export class StoredResponses {
  readonly #histories = new Map<string, Item[]>();
  readonly #items = new Map<string, Item>();

  note(id: string, history: readonly Item[], output: readonly Item[], isStored: boolean): void {
    if (!isStored) return;
    this.#histories.set(id, [...history, ...output]);
    for (const item of output) this.#items.set(String(item.id), item);
  }

  /** Reasoning that cannot be looked up, and ids that come twice. */
  problems(history: readonly Item[]): string[] {
    const ids = history.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
    const lost = history.filter(
      ({ type, id, encrypted_content }) =>
        type === 'reasoning' && encrypted_content == null && !this.#items.has(String(id)),
    );
    return [
      ...repeated.map((id) => `Duplicate item found with id ${id}.`),
      ...lost.map(({ id }) => `Item with id '${String(id)}' not found.`),
    ];
  }

  /**
   * Puts into a request what it goes on from and what it names, which its model reads and counts as well.
   * Answers what is not there; null: everything is.
   */
  resolve(received: Received): string | null {
    const { previous_response_id: previous } = received.body;
    const before = typeof previous === 'string' ? this.#histories.get(previous) : [];
    if (before === undefined) return `Previous response with id '${previous}' not found.`;
    const missing = received.history.find(
      ({ type, id }) => type === 'item_reference' && !this.#items.has(String(id)),
    );
    if (missing !== undefined) return `Item with id '${String(missing.id)}' not found.`;
    const own = received.history.map((item) =>
      item.type === 'item_reference' ? (this.#items.get(String(item.id)) ?? item) : item,
    );
    const added =
      JSON.stringify([...before, ...own]).length - JSON.stringify(received.history).length;
    received.history = [...before, ...own];
    received.tokens += Math.ceil(Math.max(0, added) / CHARACTERS_PER_TOKEN);
    return null;
  }
}
