import { isDeepStrictEqual } from 'node:util';
import { codecFor, FORMATS, type Format } from '../../../src/domain/items/codecs.ts';
import { isTerminal, type LoggedEvent, type SessionClient } from '../api-client.ts';
import { checkHistory, type Findings } from './history.ts';
import type { Writer } from './writer.ts';

/** Sentences in a failure; one mistake can be in thousands of places. */
const MOST_SENTENCES = 20;

/** What is known of one session from outside, held against its log. */
export class Ledger {
  readonly session: SessionClient;
  readonly writers: readonly Writer[];
  readonly #format: Format;
  readonly #log: LoggedEvent[] = [];

  constructor(session: SessionClient, format: Format, writers: readonly Writer[]) {
    this.session = session;
    this.#format = format;
    this.writers = writers;
  }

  /** What has been read of the log so far. */
  get log(): readonly LoggedEvent[] {
    return this.#log;
  }

  /** Reads what is new in the log; throws when something acknowledged is missing or doubled. */
  async check(): Promise<void> {
    await this.read();
    const { problems } = checkHistory(this.#log, this.writers, false);
    throwFor(this.session.id, [...problems, ...(await this.#contextProblems(this.#format))]);
  }

  /** Like `findings`; throws for any. */
  async settle(): Promise<void> {
    throwFor(this.session.id, (await this.findings()).problems);
  }

  /**
   * Waits for the end of every compaction; then the log holds exactly what was sent, once, each
   * compaction has ended once, nothing of the log has changed since it was first read, and the
   * context is valid in every format.
   */
  async findings(): Promise<Findings> {
    for (const writer of this.writers) await writer.settle();
    let again: LoggedEvent[] = [];
    // The end of one compaction may ask for the next, a moment later.
    do {
      await this.#readToLastEnd();
      again = await this.session.events();
    } while (again.length > this.#log.length);
    const { problems, ...counts } = checkHistory(this.#log, this.writers, true);
    if (!isDeepStrictEqual(again, this.#log)) {
      problems.push('the log is not what it was when it was read before');
    }
    for (const format of FORMATS) problems.push(...(await this.#contextProblems(format)));
    return { ...counts, problems };
  }

  /** How often an event of this type is in the log. */
  count(type: string): number {
    return this.#log.filter((event) => event.type === type).length;
  }

  /** How often a compaction has begun anew, because a kill had cut off what it was doing. */
  restarts(): number {
    const starts = this.#log.filter(({ type }) => type === 'compaction.started');
    return starts.filter(({ data }) => Number(data.attempt) > 1).length;
  }

  /** Compactions come one at a time: only the last of them can be under way. */
  async #readToLastEnd(): Promise<void> {
    for (;;) {
      await this.read();
      const last = this.#log.findLast(({ type }) => type === 'compaction.requested');
      const id = last?.data.compaction_id;
      if (last === undefined) return;
      if (this.#log.some((event) => isTerminal(event) && event.data.compaction_id === id)) return;
      await this.session.ended(String(id));
    }
  }

  /** Reads what is new in the log; checks nothing, so clients may write meanwhile. */
  async read(): Promise<void> {
    this.#log.push(...(await this.session.events(this.#log.at(-1)?.version ?? 0)));
  }

  async #contextProblems(format: Format): Promise<string[]> {
    const { items, version } = await this.session.context(`format=${format}`);
    const violations = codecFor(format).violations(items);
    return violations.map((one) => `context ${version} as ${format}: ${JSON.stringify(one)}`);
  }
}

function throwFor(session: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, MOST_SENTENCES).join('\n  ');
  throw new Error(`session ${session}: ${problems.length} problems\n  ${shown}`);
}
