import type { Item } from '../../../src/domain/items/item.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import {
  type Answer,
  type Appended,
  appendedOf,
  compactionOf,
  expectStatus,
  type SessionClient,
} from '../api-client.ts';
import { type Speaker, textOf } from '../conversation.ts';
import type { Tally } from './tally.ts';

/** Items that were sent in one request; `key` is their `Idempotency-Key`. */
export type Batch = { items: Item[]; key: string | null };
export type Acknowledged = Batch & { answer: Appended };

/**
 * A client that appends to a session and asks for compactions until the connection breaks. It
 * remembers what was acknowledged and what was not: without a key nobody can know whether a request
 * that was cut off was carried out, with a key it is sent again.
 */
export class Writer {
  readonly session: SessionClient;
  readonly acknowledged: Acknowledged[] = [];
  readonly uncertain: Batch[] = [];
  /** Compactions that the service said it would run. */
  readonly compactions = new Set<string>();
  readonly #name: string;
  readonly #speaker: Speaker;
  readonly #random: SeededRandom;
  readonly #tally: Tally;
  #batches = 0;
  #unanswered: Batch | null = null;

  constructor(
    name: string,
    session: SessionClient,
    speaker: Speaker,
    random: SeededRandom,
    tally: Tally,
  ) {
    this.#name = name;
    this.session = session;
    this.#speaker = speaker;
    this.#random = random;
    this.#tally = tally;
  }

  /** Works until a connection fails. Throws UnexpectedAnswer for an answer that must not be. */
  async untilCutOff(): Promise<void> {
    for (;;) {
      try {
        await this.#step();
      } catch (error) {
        // What fetch throws when the connection is refused or breaks.
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  }

  /** Sends what was cut off once more, so that nothing is left open. */
  async settle(): Promise<void> {
    if (this.#unanswered !== null) await this.#send(this.#unanswered);
  }

  async #step(): Promise<void> {
    if (this.#unanswered !== null) return this.#send(this.#unanswered);
    if (this.#random.chance(0.15)) return this.#compact();
    if (this.#random.chance(0.1)) return this.#repeat();
    return this.#send(this.#newBatch());
  }

  async #send(batch: Batch): Promise<void> {
    const { items, key } = batch;
    if (key !== null) this.#unanswered = batch;
    else this.uncertain.push(batch);
    const answer = await this.#post('/items', { body: [...items], headers: keyHeader(key) });
    const appended = appendedOf(expectStatus(answer, 201));
    if (key !== null) this.#unanswered = null;
    else this.uncertain.pop();
    this.acknowledged.push({ ...batch, answer: appended });
    this.#tally.add('acknowledged');
    if (appended.compaction !== null) this.#promised(appended.compaction.id);
  }

  /** An acknowledged request once more: the same answer, and nothing is appended. */
  async #repeat(): Promise<void> {
    const earlier = this.acknowledged.filter(({ key }) => key !== null);
    if (earlier.length === 0) return;
    const { items, key, answer } = this.#random.pick(earlier);
    const again = await this.#post('/items', { body: [...items], headers: keyHeader(key) });
    const replayed = JSON.stringify(appendedOf(expectStatus(again, 201)));
    if (
      again.headers.get('idempotency-replayed') !== 'true' ||
      replayed !== JSON.stringify(answer)
    ) {
      throw new Error(`${key} was answered ${replayed}, before ${JSON.stringify(answer)}`);
    }
  }

  async #compact(): Promise<void> {
    const mode = this.#random.pick(['full', 'full', 'micro', 'auto']);
    const answer = await this.#post('/compact', { body: { mode } });
    this.#promised(compactionOf(expectStatus(answer, 202)).id);
  }

  #promised(id: string): void {
    this.compactions.add(id);
    this.#tally.add('compaction');
  }

  #post(path: string, options: Parameters<SessionClient['request']>[2]): Promise<Answer> {
    const answer = this.session.request('POST', path, options);
    this.#tally.add('sent');
    return answer;
  }

  #newBatch(): Batch {
    this.#batches += 1;
    const label = `${this.#name}-${this.#batches}`;
    const tokens = this.#random.int(50, 600);
    const speaker = this.#speaker;
    const items = this.#random.chance(0.5)
      ? [speaker.user(textOf(`${label}u`, tokens)), speaker.assistant(textOf(`${label}a`, 50))]
      : speaker.toolRound(label, 'Read', { path: `${label}.ts` }, textOf(`${label}r`, tokens));
    return { items, key: this.#random.chance(0.6) ? `key-${label}` : null };
  }
}

function keyHeader(key: string | null): Record<string, string> {
  return key === null ? {} : { 'idempotency-key': key };
}
