import fc from 'fast-check';
import { fork } from '../../src/app/fork.ts';
import { pin } from '../../src/app/pin.ts';
import { revert } from '../../src/app/revert.ts';
import { sync } from '../../src/app/sync.ts';
import { unpin } from '../../src/app/unpin.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { extractive } from '../../src/workers/summarizers/extractive.ts';
import { assistant, tool, user } from './items.ts';
import { SessionLab } from './session-lab.ts';

/** What can happen to the items of a session, in any order. */
export type RecallAct =
  | { kind: 'append'; turns: number }
  | { kind: 'compact'; mode: 'micro' | 'full' }
  | { kind: 'revert' | 'fork' | 'retry' | 'client_compaction' }
  | { kind: 'pin' | 'unpin'; which: number }
  | { kind: 'pin_text' }
  /** A compaction that is overtaken by a pin, or by the end of one. */
  | { kind: 'pin_meanwhile'; which: number };

export const recallActs: fc.Arbitrary<RecallAct[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        turns: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('compact' as const),
        mode: fc.constantFrom('micro' as const, 'full' as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('revert' as const, 'fork' as const, 'retry' as const),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'pin' as const,
          'pin' as const,
          'unpin' as const,
          'pin_meanwhile' as const,
        ),
        which: fc.nat({ max: 1_000 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('client_compaction' as const, 'pin_text' as const),
      }),
    },
  ),
  { minLength: 3, maxLength: 14 },
);

/** Plays such acts on sessions of a lab, each fork going on where its parent stood. */
export class RecallPlay {
  readonly lab: SessionLab;
  /** The history as a client holds it. */
  #told: Item[] = [];
  #turns = 0;
  #compactions: string[] = [];

  private constructor(lab: SessionLab) {
    this.lab = lab;
  }

  static async open(): Promise<RecallPlay> {
    const lab = await SessionLab.open('anthropic');
    const play = new RecallPlay(lab);
    await play.act({ kind: 'append', turns: 2 });
    return play;
  }

  async act(act: RecallAct): Promise<void> {
    switch (act.kind) {
      case 'append': {
        for (let turn = 0; turn < act.turns; turn++) this.#told.push(...this.#turn());
        return this.#sync();
      }
      case 'compact': {
        const asked = await this.lab.request(act.mode);
        if (asked.ok) await this.#work(asked.value.id);
        return;
      }
      case 'revert': {
        const { store, world, now } = this.lab;
        const last = this.#compactions.pop();
        if (last !== undefined) await revert({ store, world, clock: { now } }, this.lab.ref, last);
        return;
      }
      case 'fork': {
        const { store, world, now, newId, ref } = this.lab;
        const forked = await fork({ store, world, newId, clock: { now } }, ref, {});
        if (!forked.ok) throw new Error(forked.rejection.detail);
        this.lab.ref = { ...ref, session_id: forked.value.id };
        this.#compactions = [];
        return;
      }
      case 'retry':
        this.#told.pop();
        this.#told.push(assistant(`Answer ${this.#turns} once more.`));
        return this.#sync();
      case 'client_compaction': {
        const summary = user('The client says what was.', { is_compact_summary: true });
        this.#told = [summary, ...this.#told.slice(-1)];
        return this.#sync();
      }
      case 'pin_text':
        this.#turns += 1;
        await pin(this.#ports, this.lab.ref, { text: `Remember ${this.#turns}.` }, null);
        return;
      case 'pin':
        return this.#pin(act.which);
      case 'unpin': {
        const { all } = (await this.lab.head()).state.pins;
        const { id } = all[act.which % Math.max(1, all.length)] ?? { id: 'none' };
        await unpin(this.#ports, this.lab.ref, id);
        return;
      }
      case 'pin_meanwhile': {
        const asked = await this.lab.request('full');
        if (!asked.ok) return;

        let isPinned = false;
        this.lab.summarizer = {
          ...extractive,
          summarize: async (...order) => {
            if (!isPinned)
              await this.act({ kind: act.which % 2 ? 'pin' : 'unpin', which: act.which });
            isPinned = true;
            return extractive.summarize(...order);
          },
        };
        await this.#work(asked.value.id);
        this.lab.summarizer = extractive;
        return;
      }
      default:
        return act satisfies never;
    }
  }

  async #pin(which: number): Promise<void> {
    const items = await this.lab.store.events(this.lab.ref, { types: ['item.appended'] });
    const seq = items[which % Math.max(1, items.length)]?.version ?? 1;
    await pin(this.#ports, this.lab.ref, { seq }, null);
  }

  get #ports() {
    const { store, world, now, newId } = this.lab;
    return { store, world, newId, clock: { now }, loadTokenizer: async () => {} };
  }

  #turn(): Item[] {
    this.#turns += 1;
    const n = this.#turns;
    const words = `word${n} `.repeat(12);
    return [
      user(`Question ${n}: ${words}`),
      ...tool(`call_${n}`, 'Read', 60, { path: `/src/file${n}.ts` }),
      assistant(`Answer ${n}: ${words}`),
    ];
  }

  async #sync(): Promise<void> {
    const { store, world, now, newId, ref } = this.lab;
    const ports = {
      ...{ store, world, newId, clock: { now } },
      dispatch: ({ compaction_id }: { compaction_id: string }) => {
        this.lab.dispatched.push(compaction_id);
      },
      cancelJob: () => {},
      loadTokenizer: async () => {},
    };
    const synced = await sync(ports, ref, {
      items: this.#told,
      format: undefined,
      on_divergence: 'fork',
      expected: null,
      idempotency: null,
    });
    if (!synced.ok) throw new Error(synced.rejection.detail);
    this.lab.ref = { ...ref, session_id: synced.value.synced.session_id };
    for (const id of this.lab.dispatched.splice(0)) await this.#work(id);
  }

  async #work(id: string): Promise<void> {
    for (let runs = 0; runs < 10; runs++) {
      if ((await this.lab.work(id)).kind === 'done') break;
    }
    const row = await this.lab.store.compaction(this.lab.ref, id);
    if (row?.outcome === 'full_compacted' || row?.outcome === 'micro_compacted') {
      this.#compactions.push(id);
    }
  }
}
