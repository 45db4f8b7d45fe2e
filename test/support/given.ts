import { expect } from 'vitest';
import { type Material, materialOf } from '../../src/domain/compaction/material.ts';
import { foldView, type View } from '../../src/domain/context/view.ts';
import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { Config, ConfigOverrides } from '../../src/domain/policy/config.ts';
import { profileConfig } from '../../src/domain/policy/profiles.ts';
import type { NewSession } from '../../src/domain/session/create-session.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import type { RejectionCode } from '../../src/domain/session/errors.ts';
import type { EventOf, NewEvent, SessionEvent } from '../../src/domain/session/events.ts';
import { evolve } from '../../src/domain/session/evolve.ts';
import { type Head, termsOf } from '../../src/domain/session/head.ts';
import type { Terms, World } from '../../src/domain/session/world.ts';
import { countItem, estimator } from '../../src/domain/tokens/count.ts';
import { measureItem, usageTokens } from '../../src/domain/tokens/measure.ts';
import { attributionOf, PLAIN_REPORT } from './event-data.ts';

export const AT = '2026-01-01T00:00:00.000Z';
export const NOW = Date.parse(AT);
export const CLOCK = { at: AT, now_ms: NOW };
export const WORLD: World = { server: {}, tokenizers: {} };

export const SESSION: NewSession = {
  format: 'anthropic',
  profile: 'default',
  config: {},
  model: null,
  context_window: 200_000,
  initial_context: [],
  metadata: {},
};

/** What an attempt at a compaction of SESSION goes by, with some fields set. */
export function termsWith(config: ConfigOverrides = {}): Terms {
  return termsOf({ ...SESSION, config }, WORLD);
}
export const TERMS = termsWith();

/** A configuration of profile `default` at 200,000 tokens with some fields set. */
export function configWith(overrides: ConfigOverrides = {}): Config {
  return { ...profileConfig('default', 200_000), ...overrides } as Config;
}

/** The `session.created` of SESSION with some settings changed. */
export function created(
  overrides: Partial<Omit<EventOf<'session.created'>['data'], 'initial_context'>> = {},
  initial: EventOf<'session.created'>['data']['initial_context'] = [],
): NewEvent {
  return { type: 'session.created', data: { ...SESSION, ...overrides, initial_context: initial } };
}

/** The `item.appended` of an Anthropic item under the plain estimate. */
export function appended(item: Item): NewEvent {
  const config = configWith();
  const measured = measureItem(codecFor('anthropic'), item, estimator(config), config);
  const usage = usageTokens(measured.normalised);
  const data = { item, tokens: measured.tokens };
  return { type: 'item.appended', data: usage === undefined ? data : { ...data, usage } };
}

/** New events as a log from version 1. */
export function logOf(events: readonly NewEvent[]): SessionEvent[] {
  return events.map((event, index) => ({ ...event, version: index + 1, at: AT }));
}

export function headOf(events: readonly NewEvent[]): Head | null {
  return logOf(events).reduce<Head | null>(evolve, null);
}

/** The context of a session that holds these items; item n stands at seq n + 2. */
export function viewOf(items: readonly Item[], later: readonly NewEvent[] = []): View {
  const [first, ...events] = logOf([created(), ...items.map(appended), ...later]);
  if (first?.type !== 'session.created') throw new Error('a log starts with session.created');
  return foldView({ created: first, base: null, events });
}

/** The same in a format, with the tokens that the items count. */
export function viewIn(
  format: Format,
  items: readonly Item[],
  later: readonly NewEvent[] = [],
): View {
  const config = configWith();
  const count = estimator(config);
  const codec = codecFor(format);
  const events = items.map((item): NewEvent => {
    const event = appended(item);
    if (event.type !== 'item.appended') return event;
    const tokens = countItem(codec.normalise(item), count, config);
    return { ...event, data: { ...event.data, tokens } };
  });
  const [first, ...rest] = logOf([created({ format }), ...events, ...later]);
  if (first?.type !== 'session.created') throw new Error('no session');
  return foldView({ created: first, base: null, events: rest });
}

export function materialFor(items: readonly Item[]): Material[] {
  return materialOf(viewOf(items));
}

/** given(events).when(command).yields(events): whole-object equality throughout. */
export function given(...events: NewEvent[]) {
  const head = headOf(events);
  return {
    head,
    when<T>(decide: Decide<T>) {
      const outcome = decide(head);
      // What a command has folded itself is what everybody else would.
      if (outcome.ok && outcome.value.after !== undefined) {
        expect(outcome.value.after).toEqual(headOf([...events, ...outcome.value.events]));
      }
      return {
        /** Accepted with exactly these events. */
        yields(...expected: NewEvent[]) {
          expect(outcome.ok ? outcome.value.events : outcome).toEqual(expected);
          return this;
        },
        /** The value for the caller, computed on the head after the events. */
        answers(expected: unknown) {
          if (!outcome.ok) throw new Error(`rejected: ${outcome.rejection.detail}`);
          const after = headOf([...events, ...outcome.value.events]);
          if (after === null) throw new Error('there is no session after the command');
          expect(outcome.value.value(after)).toEqual(expected);
          return this;
        },
        rejects(code: RejectionCode, detail: RegExp) {
          const rejection = { code, detail: expect.stringMatching(detail) };
          expect(outcome).toEqual({ ok: false, rejection });
        },
        /** What was accepted, for expectations about a part. */
        events(): NewEvent[] {
          if (!outcome.ok) throw new Error(`rejected: ${outcome.rejection.detail}`);
          return outcome.value.events;
        },
      };
    },
  };
}

/** `compaction.requested` of compaction `c`: by an append, or by hand where the trigger says so. */
export function requested(
  overrides: Partial<EventOf<'compaction.requested'>['data']> = {},
): NewEvent {
  const isByAppend = (overrides.trigger ?? 'auto') === 'auto';
  return {
    type: 'compaction.requested',
    data: {
      compaction_id: 'c',
      mode: 'auto',
      trigger: 'auto',
      reason: 'token_limit',
      attribution: attributionOf(isByAppend ? 'append' : 'request'),
      ...overrides,
    },
  };
}

export function started(attempt = 1, id = 'c'): NewEvent {
  const config = profileConfig('default', 200_000);
  return { type: 'compaction.started', data: { compaction_id: id, attempt, config } };
}

export function skipped(
  reason: EventOf<'compaction.skipped'>['data']['reason'] = 'not_effective',
  id = 'c',
): NewEvent {
  return { type: 'compaction.skipped', data: { compaction_id: id, reason, detail: 'because' } };
}

export function failed(will_retry = false, attempt = 1, id = 'c'): NewEvent {
  const data = {
    compaction_id: id,
    reason: 'timeout',
    message: 'late',
    attempt,
    will_retry,
  } as const;
  return { type: 'compaction.failed', data };
}

export function cancelled(id = 'c'): NewEvent {
  return { type: 'compaction.cancelled', data: { compaction_id: id } };
}

/** The edits of a micro-compaction that saves `tokens_saved` net tokens on the result at `seq` 2. */
export function microCompleted(saved: number, id = 'c'): NewEvent {
  return {
    type: 'compaction.micro_completed',
    data: {
      compaction_id: id,
      strategy: 'until_target',
      edits: [
        {
          seq: 2,
          tool_use_id: 't',
          content: 'x',
          kind: 'cleared',
          tokens_before: saved + 1,
          tokens_after: 1,
        },
      ],
      tokens_saved: saved + 1,
      tokens_before: 0,
      tokens_after: 0,
      result_tokens_before: saved + 1,
      result_tokens_after: 0,
      is_above_threshold: false,
      is_still_due: false,
      duration_ms: 5,
    },
  };
}

/** A full compaction of everything up to `through`. */
export function completed(
  through: number,
  tokens: {
    covered: number;
    replacement: number;
    isAboveThreshold?: boolean;
    isStillDue?: boolean;
    before?: number;
  },
  id = 'c',
): NewEvent {
  return {
    type: 'compaction.completed',
    data: {
      compaction_id: id,
      mode: 'full',
      through,
      previous: null,
      summary_text: 'S',
      entries: [],
      report: {
        tokens_before: tokens.before ?? 0,
        tokens_after: 0,
        covered_tokens: tokens.covered,
        replacement_tokens: tokens.replacement,
        is_above_threshold: tokens.isAboveThreshold ?? false,
        is_still_due: tokens.isStillDue ?? false,
        ...PLAIN_REPORT,
      },
    },
  };
}

export function reverted(tokens: number, id = 'c'): NewEvent {
  return {
    type: 'compaction.reverted',
    data: { compaction_id: id, kind: 'full', base: null, tokens },
  };
}

export const BREAKER_OPENED: NewEvent = {
  type: 'breaker.opened',
  data: { failures: 3, reset_at_ms: NOW + 600_000 },
};
