import fc from 'fast-check';
import { expect } from 'vitest';
import { sumTokens } from '../../src/domain/context/view.ts';
import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { BOUNDARIES, type Signal } from '../../src/domain/policy/boundaries.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { PROFILES, type Profile } from '../../src/domain/policy/profiles.ts';
import { requestCompaction } from '../../src/domain/session/compaction-commands.ts';
import { configureSession } from '../../src/domain/session/create-session.ts';
import { observeSignal } from '../../src/domain/session/observe-signal.ts';
import { receivePacket, timeOutPacket } from '../../src/domain/session/packet-commands.ts';
import { revertCommand, revertCompactions } from '../../src/domain/session/revert-compaction.ts';
import { modelSummarizer } from '../../src/workers/summarizers/model.ts';
import { loadTemplates } from '../../src/workers/templates.ts';
import { NO_SUMMARIZER_USAGE } from './event-data.ts';
import { answerItems, userMessage } from './generated-items.ts';
import { type SessionLab, TINY } from './session-lab.ts';

/** What a command says must not be read anywhere but in the log. */
export const COMMAND_TEXT = 'UNHEARD-OF-INSTRUCTION';

/** Everything by which a session compacts, and what can come between. */
type Step =
  | { kind: 'append'; size: number }
  | { kind: 'talk'; asks: boolean }
  | { kind: 'turn' }
  | { kind: 'command' }
  | { kind: 'signal'; signal: Signal; follows: boolean; queued: number }
  | { kind: 'packet' }
  | { kind: 'time_out' }
  | { kind: 'configure'; config: ConfigOverrides; profile: Profile | null }
  | { kind: 'request'; trigger: 'manual' | 'tool' }
  | { kind: 'cancel' }
  | { kind: 'revert' }
  | { kind: 'work'; fails: boolean; meanwhile: Step[] };

const packetArbitrary: fc.Arbitrary<ConfigOverrides> = fc.record({
  packet_author: fc.constantFrom('none', 'watcher', 'agent'),
  auto_requires_any_boundary: fc.constantFrom([], ['turn_complete']),
});
const anyConfigArbitrary: fc.Arbitrary<ConfigOverrides> = fc.record(
  {
    enabled: fc.boolean(),
    auto_compact_enabled: fc.boolean(),
    micro_compact_enabled: fc.boolean(),
    auto_compact_mode: fc.constantFrom('tag', 'suggest', 'auto'),
    auto_compact_trigger: fc.constantFrom('threshold', 'tiers', 'limit'),
    packet_author: fc.constantFrom('none', 'watcher', 'agent'),
    auto_requires_any_boundary: fc.constantFrom([], ['turn_complete'], ['commit']),
    protected_messages: fc.constantFrom(null, 3, 50),
  },
  { requiredKeys: [] },
);

export const configArbitrary = fc.oneof(
  { weight: 3, arbitrary: packetArbitrary },
  { weight: 1, arbitrary: anyConfigArbitrary },
);

const leafArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      size: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('talk' as const), asks: fc.boolean() }) },
  { weight: 6, arbitrary: fc.constant({ kind: 'turn' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'command' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('signal' as const),
      signal: fc.constantFrom<Signal[]>(
        ...BOUNDARIES,
        ...['turn_complete' as const, 'turn_complete' as const, 'turn_complete' as const],
        ...['sampling_complete' as const, 'turn_started' as const, 'agent_done' as const],
      ),
      follows: fc.boolean(),
      queued: fc.constantFrom(0, 0, 0, 2),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'packet' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'time_out' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('configure' as const),
      config: configArbitrary,
      profile: fc.constantFrom(null, 'rawr' as const, 'rawr' as const, ...PROFILES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      trigger: fc.constantFrom('manual' as const, 'tool' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancel' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'revert' as const }) },
);
export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: leafArbitrary },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      fails: fc.boolean(),
      meanwhile: fc.array(leafArbitrary, { maxLength: 3, size: 'max' }),
    }),
  },
);

const PROMPT = loadTemplates().packet;
/** Budgets to match a window of 700 tokens. */
export const CONFIG: ConfigOverrides = {
  ...TINY.config,
  packet_max_tokens: 100,
  trigger_early_percent_remaining_lt: 95,
  trigger_ready_percent_remaining_lt: 90,
  trigger_asap_percent_remaining_lt: 80,
  manual_commands: true,
  auto_compact_token_limit: 400,
  auto_compact_min_messages: 2,
  tool_compact_min_tokens: 50,
  protected_tokens: null,
};

/** One session, two workers, and what happens while a summary is being written. */
export class TriggerPlay {
  readonly lab: SessionLab;
  readonly #format: Format;
  readonly #items: Iterator<Item>;
  /** The context of each version that was looked at, as it was then. */
  readonly contexts = new Map<number, string>();
  #meanwhile: Step[] = [];
  #fails = false;

  constructor(lab: SessionLab, format: Format, items: Item[]) {
    this.lab = lab;
    this.#format = format;
    this.#items = items.values();
    const ask = async () => {
      const fails = this.#fails;
      for (const step of this.#meanwhile.splice(0)) await this.#step(step);
      if (fails) {
        return { ok: false, reason: 'api_error', message: 'no', retryable: false } as const;
      }
      const text = '<summary>What was said.</summary>';
      const rest = { is_cut_off: false, model: 'm', usage: NO_SUMMARIZER_USAGE };
      return { ok: true, text, ...rest } as const;
    };
    lab.summarizer = modelSummarizer({ name: 'm', context_window: 100_000, ask });
  }

  async run(steps: readonly Step[]): Promise<this> {
    for (const step of steps) {
      await this.#step(step);
      await this.#look();
    }
    await this.#step({ kind: 'work', fails: false, meanwhile: [] });
    await this.#look();
    return this;
  }

  async #look(): Promise<void> {
    const view = await this.lab.view();
    const { state } = await this.lab.head();
    expect(state.tokens).toBe(sumTokens(view.entries));
    expect(state.usage).toBe(view.usage.usage);
    this.contexts.set(view.version, JSON.stringify(view.entries));
  }

  async #append(batch: Item[]): Promise<void> {
    const outcome = await this.lab.append(batch);
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.rejection));
  }

  async #step(step: Step): Promise<void> {
    const { lab } = this;
    switch (step.kind) {
      case 'append': {
        const batch: Item[] = [];
        for (let next = this.#items.next(); !next.done; next = this.#items.next()) {
          batch.push(next.value);
          if (batch.length === step.size) break;
        }
        if (batch.length > 0) await this.#append(batch);
        return;
      }
      case 'talk': {
        const text = `The parser is done. ${'abc '.repeat(120)}`;
        const asked = step.asks ? [userMessage(this.#format, 'And now?', false)] : [];
        return this.#append([...asked, ...answerItems(this.#format, text)]);
      }
      case 'turn':
        await this.#step({ kind: 'talk', asks: true });
        return this.#step({ kind: 'signal', signal: 'turn_complete', follows: false, queued: 0 });
      case 'command':
        return this.#append([userMessage(this.#format, `/compact ${COMMAND_TEXT}`, false)]);
      case 'signal': {
        const now = lab.now();
        const { signal, follows, queued } = step;
        await lab.commit(
          observeSignal(lab.world, {
            signal,
            needs_follow_up: follows,
            queued_user_messages: queued,
            compaction_id: lab.newId(),
            packet_prompt: PROMPT,
            now_ms: now.getTime(),
            at: now.toISOString(),
          }),
        );
        return;
      }
      case 'packet': {
        const text = `Goal: the parser. Next step: test it. ${'abc '.repeat(60)}`;
        await lab.commit(receivePacket(lab.world, { compaction_id: lab.newId(), text }));
        return;
      }
      case 'time_out': {
        const now_ms = lab.now().getTime() + 3_600_000;
        await lab.commit(timeOutPacket(lab.world, { compaction_id: lab.newId(), now_ms }));
        return;
      }
      case 'configure': {
        const { config, profile } = step;
        await lab.commit(
          configureSession(
            lab.world,
            { config, ...(profile !== null && { profile }) },
            lab.newId(),
          ),
        );
        return;
      }
      case 'request': {
        const { trigger } = step;
        const compaction_id = lab.newId();
        await lab.commit(requestCompaction(lab.world, { compaction_id, mode: 'auto', trigger }));
        return;
      }
      case 'cancel': {
        const { running } = (await lab.head()).state;
        if (running !== null) await lab.cancel(running.id);
        return;
      }
      case 'revert':
        return this.#revert();
      case 'work':
        this.#meanwhile = [...step.meanwhile];
        this.#fails = step.fails;
        for (const { compaction_id } of await lab.store.pending(10)) {
          await Promise.all([lab.work(compaction_id), lab.work(compaction_id)]);
          await lab.work(compaction_id);
        }
        return;
      default:
        step satisfies never;
    }
  }

  async #revert(): Promise<void> {
    const { lab } = this;
    const events = await lab.events();
    const gone = new Set(
      events.flatMap((e) => (e.type === 'compaction.reverted' ? [e.data.compaction_id] : [])),
    );
    const done = events.findLast(
      (e) =>
        (e.type === 'compaction.completed' || e.type === 'compaction.micro_completed') &&
        !gone.has(e.data.compaction_id),
    );
    if (done?.type !== 'compaction.completed' && done?.type !== 'compaction.micro_completed')
      return;
    const command = revertCommand(done.data.compaction_id, events, await lab.head());
    if (!command.ok) return;
    const outcome = await lab.commit(revertCompactions([command.value]));
    if (!outcome.ok) return;
    const before = await lab.view(done.version - 1);
    const after = await lab.view();
    expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
    const log = after.entries.flatMap(({ seq, origin }) => (origin === 'log' ? [seq] : []));
    const appended = events.flatMap((e) =>
      e.type === 'item.appended' &&
      e.data.excluded === undefined &&
      e.version > (after.base?.through ?? 0)
        ? [e.version]
        : [],
    );
    expect(log).toEqual(appended);
  }
}
