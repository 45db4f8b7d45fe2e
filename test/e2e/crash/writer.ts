import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { until } from '../../support/cluster/until.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import {
  type Answer,
  appendedOf,
  compactionOf,
  contextOf,
  expectStatus,
  type SessionClient,
  UnexpectedAnswer,
} from '../api-client.ts';
import { type Speaker, textOf } from '../conversation.ts';
import type { Acknowledged, Batch, ClientRecord } from './history.ts';
import type { Tally } from './tally.ts';

/** Nothing may take longer, whatever is down: a request that does is taken to hang for ever. */
const LONGEST_MS = 60_000;

type Sent = Batch & { if_match: number | null };

/**
 * A client of one session: appends, asks for compactions and reads the context. It remembers what was
 * acknowledged and what was not: without a key nobody can know whether a request that was not
 * answered was carried out, with a key it is sent again. Throws for every answer that must not be.
 */
export class Writer implements ClientRecord {
  readonly name: string;
  readonly session: SessionClient;
  readonly acknowledged: Acknowledged[] = [];
  readonly uncertain: Batch[] = [];
  readonly refused: Batch[] = [];
  readonly compactions = new Set<string>();
  readonly #speaker: Speaker;
  readonly #random: SeededRandom;
  readonly #tally: Tally;
  #batches = 0;
  #unanswered: Sent | null = null;

  constructor(
    name: string,
    session: SessionClient,
    speaker: Speaker,
    random: SeededRandom,
    tally: Tally,
  ) {
    this.name = name;
    this.session = session;
    this.#speaker = speaker;
    this.#random = random;
    this.#tally = tally;
  }

  /** Works until a request is not answered, or with 503. */
  async untilCutOff(): Promise<void> {
    let isAnswered = true;
    while (isAnswered) isAnswered = await this.step();
  }

  /** Sends what was not answered, or else anything; answers whether the service answered. */
  step(): Promise<boolean> {
    if (this.#unanswered !== null) return this.#send(this.#unanswered);
    if (this.#random.chance(0.15)) {
      return this.compact(this.#random.pick(['full', 'full', 'micro', 'auto']));
    }
    if (this.#random.chance(0.1)) return this.#repeat();
    if (this.#random.chance(0.1)) return this.#read();
    return this.append();
  }

  /** Appends a new batch, sometimes with a key or a condition; answers whether it was answered. */
  append(): Promise<boolean> {
    const if_match = this.#random.chance(0.1) ? this.#version : null;
    return this.#send({ ...this.#newBatch(), if_match });
  }

  /** Appends these items with a key, once, however often they have to be sent. */
  async say(items: Item[]): Promise<void> {
    this.#batches += 1;
    const key = `key-${this.name}-${this.#batches}`;
    await this.#send({ items, key, if_match: null });
    await this.settle();
  }

  /** Asks for a compaction; answers whether that was answered. */
  async compact(mode: string): Promise<boolean> {
    const answer = await this.#request('POST', '/compact', { body: { mode } });
    if (answer === null) return false;
    this.#promised(compactionOf(expectStatus(answer, 202)).id);
    return true;
  }

  /** Sends what was not answered until it is, so that nothing is left open. */
  async settle(): Promise<void> {
    await until(`${this.name}: an answer to what was sent`, async () => {
      return this.#unanswered === null || (await this.#send(this.#unanswered));
    });
  }

  /** The version of the session that the last answer to this client named. */
  get #version(): number {
    return this.acknowledged.at(-1)?.answer.version ?? 1;
  }

  async #send(sent: Sent): Promise<boolean> {
    const { items, key, if_match } = sent;
    const batch = { items, key };
    if (key !== null) this.#unanswered = sent;
    const headers = {
      ...keyHeader(key),
      ...(if_match === null ? {} : { 'if-match': `"${if_match}"` }),
    };
    const answer = await this.#request('POST', '/items', { body: [...items], headers });
    if (answer === null) {
      if (key === null) this.uncertain.push(batch);
      return false;
    }
    this.#unanswered = null;
    if (if_match !== null && answer.status === 412) {
      this.refused.push(batch);
      this.#tally.add('refused');
      return true;
    }
    const appended = appendedOf(expectStatus(answer, 201));
    if (if_match !== null && appended.first_seq !== if_match + 1) {
      throw new Error(`${this.name}: if-match ${if_match} let ${appended.first_seq} be appended`);
    }
    this.acknowledged.push({ ...batch, answer: appended });
    this.#tally.add('acknowledged');
    if (appended.compaction !== null) this.#promised(appended.compaction.id);
    return true;
  }

  /** An acknowledged request once more: the same answer, and nothing is appended. */
  async #repeat(): Promise<boolean> {
    const earlier = this.acknowledged.filter(({ key }) => key !== null);
    if (earlier.length === 0) return this.append();
    const { items, key, answer } = this.#random.pick(earlier);
    const headers = keyHeader(key);
    const again = await this.#request('POST', '/items', { body: [...items], headers });
    if (again === null) return false;
    const replayed = JSON.stringify(appendedOf(expectStatus(again, 201)));
    if (
      again.headers.get('idempotency-replayed') !== 'true' ||
      replayed !== JSON.stringify(answer)
    ) {
      throw new Error(`${key} was answered ${replayed}, before ${JSON.stringify(answer)}`);
    }
    return true;
  }

  /** The context is valid for its provider and knows everything that was acknowledged. */
  async #read(): Promise<boolean> {
    const known = this.#version;
    const answer = await this.#request('GET', '/context');
    if (answer === null) return false;
    const { items, version } = contextOf(expectStatus(answer, 200));
    const violations = codecFor(this.#speaker.format).violations(items);
    if (violations.length > 0) {
      throw new Error(`${this.session.id} at ${version}: ${JSON.stringify(violations)}`);
    }
    if (version < known) throw new Error(`the context is of version ${version}, not ${known}`);
    this.#tally.add('context');
    return true;
  }

  #promised(id: string): void {
    this.compactions.add(id);
    this.#tally.add('compaction');
  }

  /** Null: cut off, refused on the way, or answered that the service cannot do it now. */
  async #request(
    method: string,
    path: string,
    options: Parameters<SessionClient['request']>[2] = {},
  ): Promise<Answer | null> {
    const pending = this.session.request(method, path, options);
    this.#tally.add('sent');
    try {
      const answer = await inTime(pending, `${this.name}: ${method} ${path}`);
      if (answer.status !== 503) return answer;
      expectProblem(answer);
      this.#tally.add('unavailable');
      return null;
    } catch (error) {
      // What fetch throws when the connection is refused or breaks.
      if (!(error instanceof TypeError)) throw error;
      this.#tally.add('cut_off');
      return null;
    }
  }

  #newBatch(): Batch {
    this.#batches += 1;
    const label = `${this.name}-${this.#batches}`;
    const tokens = this.#random.int(50, 600);
    const speaker = this.#speaker;
    const items = this.#random.chance(0.5)
      ? [speaker.user(textOf(`${label}u`, tokens)), speaker.assistant(textOf(`${label}a`, 50))]
      : speaker.toolRound(label, 'Read', { path: `${label}.ts` }, textOf(`${label}r`, tokens));
    return { items, key: this.#random.chance(0.6) ? `key-${label}` : null };
  }
}

function keyHeader(key: string | null): { [name: string]: string } {
  return key === null ? {} : { 'idempotency-key': key };
}

async function inTime(pending: Promise<Answer>, what: string): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const hung = () => reject(new Error(`${what}: no answer in ${LONGEST_MS} ms`));
    timer = setTimeout(hung, LONGEST_MS);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A 503 says in a sentence what is away; anything less is a mistake of the service. */
function expectProblem({ status, headers, body }: Answer): void {
  const isProblem = headers.get('content-type') === 'application/problem+json';
  const detail = /"detail":"[^"]{15,}/.test(JSON.stringify(body));
  if (!isProblem || !detail) {
    throw new UnexpectedAnswer(`${status} without a problem: ${JSON.stringify(body)}`);
  }
}
