import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { createSession } from '../../src/domain/session/create-session.ts';
import type { EventOf, SessionEvent } from '../../src/domain/session/events.ts';
import { evolve } from '../../src/domain/session/evolve.ts';
import { type Head, type PacketState, packetState } from '../../src/domain/session/head.ts';
import { observeSignal } from '../../src/domain/session/observe-signal.ts';
import { receivePacket } from '../../src/domain/session/packet-commands.ts';
import { revertCommand, revertCompactions } from '../../src/domain/session/revert-compaction.ts';
import { PacketTimer } from '../../src/workers/packet-timer.ts';
import { modelSummarizer } from '../../src/workers/summarizers/model.ts';
import type { ModelAnswer } from '../../src/workers/summarizers/text-model.ts';
import { loadTemplates } from '../../src/workers/templates.ts';
import { NO_SUMMARIZER_USAGE } from '../support/event-data.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { atScale } from '../support/scale.ts';
import { SessionLab } from '../support/session-lab.ts';

/** All that can happen to a session with packets, at any time, a summary being written included. */
const STEPS = [
  'turn_complete',
  'packet_posted',
  'assistant_item',
  'user_item',
  'time_out',
  'manual_compact',
  'completed',
  'failed',
  'cancelled',
  'reverted',
  'erased',
] as const;
type StepKind = (typeof STEPS)[number];
/** `meanwhile` happens while the summary of a step that runs a compaction is being written. */
type Step = { kind: StepKind; meanwhile: StepKind[] };

const kindArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('turn_complete' as const, 'completed' as const) },
  { weight: 4, arbitrary: fc.constantFrom('packet_posted' as const, 'time_out' as const) },
  { weight: 6, arbitrary: fc.constantFrom(...STEPS.filter((kind) => kind !== 'erased')) },
  { weight: 1, arbitrary: fc.constant('erased' as const) },
);
const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  kind: kindArbitrary,
  meanwhile: fc.array(kindArbitrary, { maxLength: 2 }),
});
const scriptArbitrary = fc.record({
  author: fc.constantFrom('agent' as const, 'watcher' as const),
  steps: fc.array(stepArbitrary, { minLength: 4, maxLength: 16 }),
});

/** A window in which every turn ends below the ready line, with budgets to match. */
const CONFIG: ConfigOverrides = {
  free_space_buffer: 400,
  warning_threshold: 400,
  error_threshold: 400,
  trigger_early_percent_remaining_lt: 98,
  trigger_ready_percent_remaining_lt: 97,
  trigger_asap_percent_remaining_lt: 96,
  protected_tokens: 100,
  user_message_max_tokens: 100,
  summary_max_tokens: 200,
  packet_max_tokens: 200,
  min_new_tokens_between_compactions: 0,
  summarizer_fallback: [],
  // Each worker that takes a job up begins an attempt.
  summarizer_max_attempts: 10,
  breaker_max_failures: 100,
};
const PROMPT = loadTemplates().packet;

/** One session, two workers, and what has to happen while the next summary is written. */
class Play {
  readonly lab: SessionLab;
  /** The logs of sessions that were erased, and of the one there is. */
  readonly logs: SessionEvent[][] = [];
  #meanwhile: StepKind[] = [];
  #fails = false;

  constructor(lab: SessionLab) {
    this.lab = lab;
    const ask = () => this.#summarize();
    const model = { name: 'm', context_window: 100_000, ask };
    lab.summarizer = modelSummarizer(model);
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const { kind, meanwhile } of steps) {
      this.#meanwhile = [...meanwhile];
      await this.#play(kind);
    }
    this.logs.push(await this.lab.events());
  }

  async #summarize(): Promise<ModelAnswer> {
    const fails = this.#fails;
    for (let next = this.#meanwhile.shift(); next !== undefined; next = this.#meanwhile.shift()) {
      await this.#play(next);
    }
    if (fails) return { ok: false, reason: 'api_error', message: 'no', retryable: false };
    const text = '<summary>What was said.</summary>';
    return { ok: true, text, is_cut_off: false, model: 'm', usage: NO_SUMMARIZER_USAGE };
  }

  async #play(kind: StepKind): Promise<void> {
    const { lab } = this;
    switch (kind) {
      case 'turn_complete':
        await lab.append([assistant(`The parser is done. ${ofTokens(150)}`)]);
        await this.#signal('agent_done');
        return this.#signal('turn_complete');
      case 'packet_posted': {
        const packet = { compaction_id: lab.newId(), text: `Goal and next steps. ${ofTokens(20)}` };
        await lab.commit(receivePacket(lab.world, packet));
        return;
      }
      case 'assistant_item':
        await lab.append([assistant(`I answer. ${ofTokens(60)}`)]);
        return;
      case 'user_item':
        await lab.append([user(`And this? ${ofTokens(60)}`)]);
        return;
      case 'time_out': {
        const timer = new PacketTimer({
          world: lab.world,
          store: lab.store,
          dispatch: () => {},
          now: () => new Date(lab.now().getTime() + 10 * 3_600_000),
          newId: lab.newId,
          onError: rethrow,
        });
        return timer.endOverdue();
      }
      case 'manual_compact':
        await lab.request('full');
        return;
      case 'completed':
      case 'failed':
        this.#fails = kind === 'failed';
        return this.#work();
      case 'cancelled': {
        const { running } = (await lab.head()).state;
        if (running !== null) await lab.cancel(running.id);
        return;
      }
      case 'reverted':
        return this.#revert();
      case 'erased':
        this.logs.push(await lab.events());
        await lab.store.erase(lab.ref);
        await lab.commit(createSession(lab.world, lab.session));
        return;
      default:
        kind satisfies never;
    }
  }

  /** Two workers take up what is pending, and one of them once more. */
  async #work(): Promise<void> {
    for (const { compaction_id } of await this.lab.store.pending(10)) {
      await Promise.all([this.lab.work(compaction_id), this.lab.work(compaction_id)]);
      await this.lab.work(compaction_id);
    }
  }

  async #signal(signal: 'agent_done' | 'turn_complete'): Promise<void> {
    const { lab } = this;
    const now = lab.now();
    const clock = { now_ms: now.getTime(), at: now.toISOString() };
    const compaction_id = lab.newId();
    await lab.commit(
      observeSignal(lab.world, { signal, compaction_id, packet_prompt: PROMPT, ...clock }),
    );
  }

  /** Undoes the newest compaction in force; the packet stands in the log after it, and stays. */
  async #revert(): Promise<void> {
    const { lab } = this;
    const events = await lab.events();
    const done = events.findLast(({ type }) => type === 'compaction.completed');
    if (done?.type !== 'compaction.completed') return;
    const command = revertCommand(done.data.compaction_id, events, await lab.head());
    if (!command.ok) return;
    const outcome = await lab.commit(revertCompactions([command.value]));
    if (!outcome.ok) return;
    const seqs = (await lab.view()).entries.map(({ seq }) => seq);
    const packet = events[done.version];
    if (packet !== undefined && isPacket(packet)) expect(seqs).toContain(packet.version);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function isCompleted(event: SessionEvent): event is EventOf<'compaction.completed'> {
  return event.type === 'compaction.completed';
}

function isPacket(event: SessionEvent): boolean {
  return event.type === 'item.appended' && event.data.source === 'packet';
}

type Reached = { state: PacketState; by: SessionEvent };

/** Which states follow on each other; a received packet and its compaction are written as one. */
function statesOf(events: readonly SessionEvent[]): Reached[] {
  const states: Reached[] = [];
  let head: Head | null = null;
  for (const event of events) {
    head = evolve(head, event);
    const state = packetState(head.state);
    const isOther = state !== states.at(-1)?.state;
    if (event.type !== 'packet.received' && isOther) states.push({ state, by: event });
  }
  return states;
}

const FOLLOWS: Record<PacketState, PacketState[]> = {
  idle: ['awaiting_packet', 'compacting'],
  awaiting_packet: ['compacting', 'idle'],
  compacting: ['idle'],
};

/** A message of the user ends the wait for a packet: its compaction stops before it, and has none. */
function isByUser(event: SessionEvent): boolean {
  return event.type === 'compaction.requested' && event.data.before !== undefined;
}

function checkLog(events: readonly SessionEvent[]): void {
  statesOf(events).reduce((before, after) => {
    expect(FOLLOWS[before.state]).toContain(after.state);
    if (before.state === 'awaiting_packet' && after.state === 'idle') {
      expect(after.by).toSatisfy(isByUser);
    }
    return after;
  });
  const packed = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    if (event.type === 'compaction.requested' && event.data.packet !== undefined) {
      packed.set(event.data.compaction_id, 0);
    }
    if (event.type === 'packet.received') {
      expect(events[index + 1]?.type).toBe('compaction.requested');
    }
    if (!isPacket(event)) continue;
    // Nowhere but right after the completion of a compaction that it belongs to.
    const before = events[index - 1];
    const id = before !== undefined && isCompleted(before) ? before.data.compaction_id : '';
    expect(packed.has(id)).toBe(true);
    packed.set(id, (packed.get(id) ?? 0) + 1);
  }
  for (const times of packed.values()) expect(times).toBeLessThanOrEqual(1);
}

/** A commit to a server takes ten times as long as one to memory. */
const RUNS = inject('store') === 'sqlite' ? atScale({ brief: 100, short: 100, long: 200 }) : 10;

/** Too rare to be left to chance. */
const ENDED_BY_USER = {
  author: 'agent' as const,
  steps: (['turn_complete', 'user_item', 'completed'] as const).map((kind) => ({
    kind,
    meanwhile: [],
  })),
};

describe('packets, whatever happens in whatever order', () => {
  it('RW-72: are appended at most once, with a completed compaction, and the states take turns', async () => {
    const seen = {
      packets: 0,
      time_outs: 0,
      posted: 0,
      taken: 0,
      by_user: 0,
      cancelled: 0,
      failed: 0,
    };
    const labs: SessionLab[] = [];
    await fc.assert(
      fc
        .asyncProperty(scriptArbitrary, async ({ author, steps }) => {
          const config = { ...CONFIG, packet_author: author };
          const session = { profile: 'rawr', context_window: 4_000, config } as const;
          const lab = await SessionLab.open('anthropic', session);
          labs.push(lab);
          const play = new Play(lab);
          await play.run(steps);
          for (const events of play.logs) {
            checkLog(events);
            for (const event of events) {
              if (isPacket(event)) seen.packets += 1;
              if (event.type === 'compaction.cancelled') seen.cancelled += 1;
              if (event.type === 'compaction.failed') seen.failed += 1;
              if (isByUser(event)) seen.by_user += 1;
              if (event.type !== 'packet.received') continue;
              if (event.data.source === 'timeout') seen.time_outs += 1;
              if (event.data.source === 'posted') seen.posted += 1;
              if (event.data.source === 'assistant_item') seen.taken += 1;
            }
          }
          expect((await lab.store.verify()).problems).toEqual([]);
        })
        .afterEach(async () => {
          for (const lab of labs.splice(0)) await lab.close();
        }),
      { numRuns: RUNS, examples: [[ENDED_BY_USER]] },
    );
    // Else the scripts would not have tried what this test is about.
    if (RUNS >= 100) {
      for (const [what, times] of Object.entries(seen))
        expect([what, times > 0]).toEqual([what, true]);
    }
  });
});
