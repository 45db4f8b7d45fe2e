import { FORMATS } from '../../../src/domain/items/codecs.ts';
import { gate, slow } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import type { ServiceProcess } from '../../support/service-process.ts';
import { SHORT_LOCKS, startService } from '../../support/start-service.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { SessionClient } from '../api-client.ts';
import { Speaker } from '../conversation.ts';
import { Ledger } from './ledger.ts';
import { Tally } from './tally.ts';
import { Writer } from './writer.ts';

const SUMMARY = summaryAnswer('The writers write.');
const WRITERS_PER_SESSION = 2;
const MOMENTS = ['sent', 'acknowledged', 'compaction', 'asked', 'answered'] as const;
/** Beyond this many requests a moment that has not come by itself is not waited for any longer. */
const PATIENCE = 40;

/** A service that is killed again and again while clients write to one session per format. */
export class Arena {
  readonly service: ServiceProcess;
  readonly ledgers: readonly Ledger[];
  readonly #model: ScriptedModelServer;
  readonly #random: SeededRandom;
  readonly #tally: Tally;

  private constructor(
    service: ServiceProcess,
    model: ScriptedModelServer,
    ledgers: readonly Ledger[],
    random: SeededRandom,
    tally: Tally,
  ) {
    this.service = service;
    this.ledgers = ledgers;
    this.#model = model;
    this.#random = random;
    this.#tally = tally;
  }

  /** `summarizer`: what writes the summaries, as in `PALIMPSEST_SUMMARIZATION_MODEL`. */
  static async start(summarizer: string, seed: number): Promise<Arena> {
    const random = new SeededRandom(seed);
    const tally = new Tally();
    const model = await ScriptedModelServer.start();
    const service = await startService({
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.openaiUrl,
      PALIMPSEST_SUMMARIZATION_MODEL: summarizer,
      ...SHORT_LOCKS,
    });
    const ledgers: Ledger[] = [];
    for (const format of FORMATS) {
      const settings = { id: format, format, context_window: 8_000 };
      const session = await SessionClient.create(() => service.url, settings);
      const writers = Array.from(
        { length: WRITERS_PER_SESSION },
        (_, i) => new Writer(`${format}-${i}`, session, new Speaker(format), random.split(), tally),
      );
      ledgers.push(new Ledger(session, format, writers));
    }
    return new Arena(service, model, ledgers, random, tally);
  }

  /** Lets the writers write and kills the service at a random moment. */
  async writeAndKill(): Promise<void> {
    const held = gate();
    if (this.#random.chance(0.7)) this.#model.script(slow(SUMMARY, held.promise));
    const moment = this.#moment(held.open);
    const cutOff = Promise.all(
      this.ledgers.flatMap(({ writers }) => writers.map((writer) => writer.untilCutOff())),
    );
    let isKilled = false;
    const killed = moment.then(() => {
      isKilled = true;
      return this.service.kill();
    });
    await cutOff;
    if (!isKilled) throw new Error(`a connection broke before the kill:\n${this.service.output}`);
    await killed;
    held.open();
  }

  /** Kills the service while it starts and takes up what the last kill left. */
  async killWhileStarting(): Promise<void> {
    await this.service.killWhileStarting(this.#random.int(0, 1_000));
  }

  async check(): Promise<void> {
    for (const ledger of this.ledgers) await ledger.check();
  }

  async settle(): Promise<void> {
    for (const ledger of this.ledgers) await ledger.settle();
  }

  async dispose(): Promise<void> {
    await this.service.dispose();
    await this.#model.close();
  }

  async #moment(answerNow: () => void): Promise<void> {
    const tally = this.#tally;
    const asked = this.#model.received(this.#model.requests.length + 1);
    const patience = tally.more('sent', PATIENCE);
    const kind = this.#random.pick(MOMENTS);
    const times = this.#random.int(1, 20);
    switch (kind) {
      case 'sent':
      case 'acknowledged':
        return tally.more(kind, times);
      case 'compaction':
        return Promise.race([tally.more('compaction', 1), patience]);
      case 'asked':
        return Promise.race([asked, patience]);
      case 'answered':
        await Promise.race([asked, patience]);
        answerNow();
        return tally.more('sent', Math.ceil(times / 4));
      default:
        return kind satisfies never;
    }
  }
}
