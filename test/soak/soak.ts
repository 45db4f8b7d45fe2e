import { setTimeout as delay } from 'node:timers/promises';
import { FORMATS } from '../../src/domain/items/codecs.ts';
import { SessionClient } from '../e2e/api-client.ts';
import { Speaker } from '../e2e/conversation.ts';
import { Ledger } from '../e2e/crash/ledger.ts';
import { type Deed, Tally } from '../e2e/crash/tally.ts';
import { Writer } from '../e2e/crash/writer.ts';
import { Cluster, type Victim } from '../support/cluster/cluster.ts';
import { type Inspection, inspect } from '../support/cluster/inspect.ts';
import { until } from '../support/cluster/until.ts';
import { cut, gate, hang, slow, status } from '../support/scripted-model/behaviour.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { carryOut, type Fault, isPossible, touched } from './faults.ts';
import type { SoakOptions } from './options.ts';

const SUMMARY = '<summary>\n1. Primary request and intent:\n   The clients write.\n</summary>';
/** A client thinks for up to this long between two requests. */
const THINKING_MS = 40;
/** A client that was not answered asks again after this long. */
const PATIENCE_MS = 100;
/** The model holds an answer back for up to this long. */
const HELD_BACK_MS = 1_500;
/** When all faults are mended, a session is compacted within this time. */
const COMPACTED_MS = 120_000;
/** How often a second fault comes before the first one is mended. */
const TOGETHER = 0.25;

export type SoakReport = Inspection & {
  seed: number;
  seconds: number;
  deeds: (deed: Deed) => number;
  acknowledged_items: number;
  kills: ReadonlyMap<Victim, number>;
  killed: number;
  faults: ReadonlyMap<Fault, number>;
  /** Events of these types in all sessions. */
  events: (type: string) => number;
};

/**
 * Clients append, compact and read while processes and servers are killed; at the end everything
 * runs again and what was acknowledged is held against the logs. What goes wrong is in the report;
 * throws only when the cluster cannot be started, or does not answer at the end.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const cluster = await Cluster.start(layoutOf(options));
  try {
    return await new Soak(options, cluster).run();
  } finally {
    await cluster.dispose();
  }
}

class Soak {
  readonly #options: SoakOptions;
  readonly #cluster: Cluster;
  readonly #random: SeededRandom;
  readonly #tally = new Tally();
  readonly #ledgers: Ledger[] = [];
  readonly #faults = new Map<Fault, number>();
  readonly #broken: string[] = [];
  #isOver = false;

  constructor(options: SoakOptions, cluster: Cluster) {
    this.#options = options;
    this.#cluster = cluster;
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<SoakReport> {
    const started = performance.now();
    for (let index = 0; index < this.#options.sessions; index++) await this.#openSession(index);
    const working = Array.from({ length: this.#options.clients }, (_, client) =>
      this.#work(client, this.#random.split()).catch((error) => this.#fail(error)),
    );
    await this.#breakThings(started)
      .then(() => this.#untilCompacted())
      .catch((error) => this.#fail(error));
    this.#isOver = true;
    await Promise.all(working);
    const findings = await inspect(this.#cluster, this.#ledgers);
    return {
      ...findings,
      problems: [...this.#broken, ...findings.problems],
      seed: this.#options.seed,
      seconds: Math.round((performance.now() - started) / 1_000),
      deeds: (deed) => this.#tally.count(deed),
      acknowledged_items: this.#acknowledgedItems(),
      kills: this.#cluster.kills,
      killed: this.#cluster.killed,
      faults: this.#faults,
      events: (type) => this.#ledgers.reduce((sum, ledger) => sum + ledger.count(type), 0),
    };
  }

  #fail(error: unknown): void {
    this.#broken.push(String(error));
    this.#isOver = true;
  }

  /** A session in each format in turn, with one writer per client. */
  async #openSession(index: number): Promise<void> {
    const format = FORMATS[index % FORMATS.length] ?? 'anthropic';
    const session = await SessionClient.create(this.#cluster.url, {
      id: `soak-${index}`,
      format,
      context_window: 8_000,
      config: { summarizer_timeout_seconds: 2 },
    });
    const writers = Array.from({ length: this.#options.clients }, (_, client) => {
      const speaker = new Speaker(format);
      return new Writer(`s${index}c${client}`, session, speaker, this.#random.split(), this.#tally);
    });
    this.#ledgers.push(new Ledger(session, format, writers));
  }

  async #work(client: number, random: SeededRandom): Promise<void> {
    const writers = this.#ledgers.flatMap(({ writers }) => writers[client] ?? []);
    while (!this.#isOver) {
      const isAnswered = await random.pick(writers).step();
      await delay(isAnswered ? random.int(0, THINKING_MS) : PATIENCE_MS);
    }
  }

  async #breakThings(started: number): Promise<void> {
    const { duration_ms, least_kills, faults } = this.#options;
    const possible = faults.filter((fault) => isPossible(fault, this.#cluster));
    let bag: Fault[] = [];
    const isDue = () =>
      performance.now() - started < duration_ms ||
      this.#cluster.killed < least_kills ||
      this.#faults.size < possible.length;
    const next = () => {
      if (bag.length === 0) bag = this.#shuffled(possible);
      return bag.pop() ?? 'api killed';
    };
    while (isDue() && !this.#isOver) {
      this.#disturbModel();
      await delay(this.#random.int(0, this.#options.quiet_ms));
      const fault = next();
      const together = [this.#breakOne(fault)];
      if (this.#random.chance(TOGETHER)) {
        const second = bag.findIndex((other) => !collide(fault, other));
        const [other] = second >= 0 ? bag.splice(second, 1) : [];
        if (other !== undefined) together.push(this.#breakOne(other));
      }
      await Promise.all(together);
    }
  }

  /** On a slow machine the faults can be over before a session has grown enough to be compacted. */
  async #untilCompacted(): Promise<void> {
    const hasCompacted = async () => {
      for (const ledger of this.#ledgers) await ledger.read();
      return this.#isOver || this.#ledgers.some((one) => one.count('compaction.completed') > 0);
    };
    await until('a compaction that completes', hasCompacted, COMPACTED_MS);
  }

  #breakOne(fault: Fault): Promise<void> {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
    return carryOut(fault, this.#cluster, this.#random.split());
  }

  /** What the provider does with the next requests. */
  #disturbModel(): void {
    const held = gate();
    setTimeout(held.open, this.#random.int(0, HELD_BACK_MS)).unref();
    const behaviours = [
      slow(SUMMARY, held.promise),
      slow(SUMMARY, held.promise),
      status(503),
      cut(SUMMARY, 1),
      hang(),
    ];
    this.#cluster.model.script(this.#random.pick(behaviours), this.#random.pick(behaviours));
  }

  #shuffled(faults: readonly Fault[]): Fault[] {
    return faults
      .map((fault) => ({ fault, place: this.#random.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ fault }) => fault);
  }

  #acknowledgedItems(): number {
    const batches = this.#ledgers.flatMap(({ writers }) =>
      writers.flatMap(({ acknowledged }) => acknowledged),
    );
    return batches.reduce((sum, { items }) => sum + items.length, 0);
  }
}

/** Two faults of the same process or server cannot be carried out together. */
function collide(one: Fault, other: Fault): boolean {
  return touched(one).some((victim) => touched(other).includes(victim));
}

function layoutOf({ store, queue }: SoakOptions) {
  return queue === 'bullmq'
    ? { store, queue, apis: 2, workers: 2 }
    : { store, queue, apis: 1, workers: 0 };
}
