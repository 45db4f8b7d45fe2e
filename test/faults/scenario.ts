import { expect } from 'vitest';
import { SessionClient } from '../e2e/api-client.ts';
import { Speaker, turns } from '../e2e/conversation.ts';
import { Ledger } from '../e2e/crash/ledger.ts';
import { Tally } from '../e2e/crash/tally.ts';
import { Writer } from '../e2e/crash/writer.ts';
import { Cluster, type Layout } from '../support/cluster/cluster.ts';
import { inspect } from '../support/cluster/inspect.ts';
import { until } from '../support/cluster/until.ts';
import { gate, slow } from '../support/scripted-model/behaviour.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { summaryAnswer } from '../support/summary-text.ts';

const SUMMARY = summaryAnswer('SCRIPTED SUMMARY.');

const TURNS = 4;
const TOKENS = 500;

/** One session of a scenario and the one client that writes to it. */
export type Conversation = {
  session: SessionClient;
  writer: Writer;
  ledger: Ledger;
  /** Appends so much that a full compaction has something to do. */
  goOn: () => Promise<void>;
  /** Requests a full compaction; answers its id. */
  compact: () => Promise<string>;
  /** The events of the compactions, oldest first, without `compaction.`. */
  course: () => Promise<string[]>;
  /** Waits for the `count`-th event of this type. */
  seen: (type: string, count?: number) => Promise<void>;
};

/** A cluster on which things are broken on purpose, and what its clients know. */
export class Scenario {
  readonly cluster: Cluster;
  /** What all clients have done. */
  readonly tally = new Tally();
  readonly #conversations: Conversation[] = [];

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  static async start(layout: Layout): Promise<Scenario> {
    return new Scenario(await Cluster.start(layout));
  }

  /** A session with this id that is ready to be compacted. `config` is that of the session. */
  async conversation(id: string, config: { [field: string]: number } = {}): Promise<Conversation> {
    const settings = { id, format: 'anthropic' as const, context_window: 32_000, config };
    const session = await SessionClient.create(this.cluster.url, settings);
    const speaker = new Speaker('anthropic');
    const writer = new Writer(id, session, speaker, new SeededRandom(1), this.tally);
    const ledger = new Ledger(session, 'anthropic', [writer]);
    const types = async () => (await session.events()).map(({ type }) => type);
    let part = 0;
    const conversation: Conversation = {
      session,
      writer,
      ledger,
      goOn: () => {
        part += 1;
        return writer.say(turns(speaker, `${id}-${part}-`, TURNS, TOKENS));
      },
      compact: async () => {
        await until('a compaction that is accepted', () => writer.compact('full'));
        return [...writer.compactions].at(-1) ?? '';
      },
      course: async () =>
        (await types()).flatMap((type) => /^compaction\.(\w+)$/.exec(type)?.[1] ?? []),
      seen: async (type, count = 1) => {
        await until(
          `event ${count} of type ${type}`,
          async () => (await types()).filter((other) => other === type).length >= count,
        );
      },
    };
    this.#conversations.push(conversation);
    await conversation.goOn();
    return conversation;
  }

  /**
   * Requests a full compaction and holds back what the model answers after its first words; resolves
   * when the model was asked. `open` lets the answer go on.
   */
  async untilAsked({ compact }: Conversation): Promise<{ id: string; open: () => void }> {
    const { model } = this.cluster;
    const asked = model.requests.length;
    const held = gate();
    model.script(slow(SUMMARY, held.promise));
    const id = await compact();
    await model.received(asked + 1);
    return { id, open: held.open };
  }

  /** Throws unless everything holds that must hold after a fault. */
  async check(): Promise<void> {
    const ledgers = this.#conversations.map(({ ledger }) => ledger);
    const { problems } = await inspect(this.cluster, ledgers);
    if (problems.length === 0) return;
    throw new Error(`${problems.slice(0, 20).join('\n')}\n${this.cluster.output}`);
  }

  async dispose(): Promise<void> {
    const kills = [...this.cluster.kills].map(([victim, count]) => `${count} × ${victim}`);
    if (kills.length > 0) console.log(`killed: ${kills.join(', ')}`);
    await this.cluster.dispose();
  }
}

/** Waits for the end of a compaction, which has to be a full one. */
export async function expectCompleted({ session }: Conversation, id: string): Promise<void> {
  expect(await session.ended(id)).toMatchObject({ outcome: 'full_compacted' });
}

/** The first of a list that a layout has not left empty. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error('there is none');
  return first;
}

/**
 * Lets clients write until they are told to stop, which waits for their last answers. A client throws for
 * every answer but 2xx and a 503 that explains itself, and when there is none.
 */
export function atWork(writers: readonly Writer[]): { stop: () => Promise<void> } {
  let isOver = false;
  const working = writers.map(async (writer) => {
    while (!isOver) await until('an answer', () => isOver || writer.step());
  });
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(working);
    },
  };
}
