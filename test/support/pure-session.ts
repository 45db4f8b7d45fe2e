import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { Signal } from '../../src/domain/policy/boundaries.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import type { Profile } from '../../src/domain/policy/profiles.ts';
import { type Appended, appendItems } from '../../src/domain/session/append-items.ts';
import {
  failCompaction,
  skipCompaction,
  startCompaction,
} from '../../src/domain/session/compaction-commands.ts';
import { completeFull } from '../../src/domain/session/complete-compaction.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import type { EventType, NewEvent, SessionEvent } from '../../src/domain/session/events.ts';
import { evolve } from '../../src/domain/session/evolve.ts';
import { configOf, type Head, termsOf } from '../../src/domain/session/head.ts';
import {
  type Observed,
  type ObserveSignal,
  observeSignal,
} from '../../src/domain/session/observe-signal.ts';
import { PLAIN_REPORT } from './event-data.ts';
import { AT, created, NOW, SESSION, WORLD } from './given.ts';
import { assistant, ofTokens } from './items.ts';

export const PACKET_PROMPT = { version: 'packet@1', text: 'Write down where you are.' };

type SignalFields = Pick<
  ObserveSignal,
  'needs_follow_up' | 'queued_user_messages' | 'review_mode' | 'completed_steps'
>;

/**
 * A session of profile rawr in memory, without store and workers: commands are decided and folded at
 * once. Its window is 100,000 tokens and tokens count without margin, so that an item of 1,000 tokens
 * is one percent. Compaction ids are c1, c2 … by the order of commands.
 */
export class PureSession {
  readonly log: SessionEvent[] = [];
  nowMs = NOW;
  #head: Head | null = null;
  #commands = 0;

  constructor(
    config: ConfigOverrides = {},
    profile: Profile = 'rawr',
    format: Format = 'anthropic',
  ) {
    const context_window = 100_000;
    this.push(
      created({
        profile,
        format,
        context_window,
        config: { token_safety_multiplier: 1, ...config },
      }),
    );
  }

  get head(): Head {
    if (this.#head === null) throw new Error('a session starts with session.created');
    return this.#head;
  }

  get config() {
    return configOf(this.head.settings, WORLD.server);
  }

  /** Decides a command and folds its events; answers its value and the types of its events. */
  run<T>(decide: Decide<T>): { value: T; events: NewEvent[] } {
    const outcome = decide(this.head);
    if (!outcome.ok) throw new Error(`rejected: ${outcome.rejection.detail}`);
    const { events, value } = outcome.value;
    for (const event of events) this.push(event);
    return { value: value(this.head), events };
  }

  append(...items: Item[]): { value: Appended; events: NewEvent[] } {
    return this.run(appendItems(WORLD, { items, defaults: SESSION, ...this.#clocked() }));
  }

  /** An answer of the agent that leaves so many percent of the window. */
  fillTo(percentRemaining: number): void {
    const missing = (100 - percentRemaining) * 1_000 - this.head.state.tokens;
    this.append(assistant(ofTokens(missing)));
  }

  signal(signal: Signal, fields: SignalFields = {}): { value: Observed; events: NewEvent[] } {
    const command = { signal, ...fields, packet_prompt: PACKET_PROMPT, ...this.#clocked() };
    return this.run(observeSignal(WORLD, command));
  }

  /** What a worker does with the compaction under way: the whole context becomes so many tokens. */
  complete(replacement: number): void {
    const { tokens, version } = this.head.state;
    const result = {
      mode: 'full' as const,
      through: version,
      previous: this.head.state.base,
      summary_text: 'S',
      entries: [],
      report: { ...PLAIN_REPORT, covered_tokens: tokens, replacement_tokens: replacement },
    };
    this.run(completeFull(this.#terms(), this.#start(), result, this.#clock()));
  }

  skip(): void {
    const skip = { reason: 'not_effective', detail: 'because' } as const;
    this.run(skipCompaction(this.#terms(), this.#start(), skip, this.#clock()));
  }

  fail(): void {
    const failure = { reason: 'timeout', message: 'late', will_retry: false } as const;
    this.run(failCompaction(this.#terms(), this.#start(), failure, this.#clock()));
  }

  count(type: EventType): number {
    return this.log.filter((event) => event.type === type).length;
  }

  push(event: NewEvent): void {
    const placed = { ...event, version: this.log.length + 1, at: AT };
    this.log.push(placed);
    this.#head = evolve(this.#head, placed);
  }

  #start() {
    const { running } = this.head.state;
    if (running === null) throw new Error('no compaction is under way');
    this.run(startCompaction(WORLD, running.id));
    return { compaction_id: running.id, attempt: running.attempt + 1 };
  }

  #terms() {
    return termsOf(this.head.settings, WORLD);
  }

  #clock() {
    return { at: AT, now_ms: this.nowMs };
  }

  #clocked() {
    this.#commands += 1;
    return { compaction_id: `c${this.#commands}`, ...this.#clock() };
  }
}
