import { profileConfig } from '../../src/domain/policy/profiles.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import { accept, reject } from '../../src/domain/session/errors.ts';
import type { EventData, EventOf, EventType, NewEvent } from '../../src/domain/session/events.ts';
import type { Head } from '../../src/domain/session/head.ts';
import { attributionOf, PLAIN_REPORT } from '../support/event-data.ts';

export const AT = '2026-11-01T12:00:00.000Z';

export const created: NewEvent = {
  type: 'session.created',
  data: {
    format: 'anthropic',
    profile: 'default',
    config: { free_space_buffer: 5_000 },
    model: null,
    context_window: 200_000,
    initial_context: [],
    metadata: { purpose: 'contract' },
  },
};

export function item(text: string, usage?: number): NewEvent {
  const data = { item: { role: 'user', content: text }, tokens: text.length };
  return { type: 'item.appended', data: usage === undefined ? data : { ...data, usage } };
}

export function requested(id: string): NewEvent {
  return {
    type: 'compaction.requested',
    data: {
      compaction_id: id,
      mode: 'auto',
      trigger: 'manual',
      reason: 'requested',
      attribution: attributionOf('request'),
    },
  };
}

export function started(id: string, attempt = 1): NewEvent {
  const config = profileConfig('default', 200_000);
  return { type: 'compaction.started', data: { compaction_id: id, attempt, config } };
}

export function microCompacted(id: string): NewEvent {
  return {
    type: 'compaction.micro_completed',
    data: {
      compaction_id: id,
      strategy: 'until_target',
      edits: [],
      tokens_saved: 0,
      tokens_before: 900,
      tokens_after: 700,
      result_tokens_before: 200,
      result_tokens_after: 0,
      is_above_threshold: false,
      is_still_due: false,
      duration_ms: 3,
    },
  };
}

export function completed(id: string, through: number) {
  return {
    type: 'compaction.completed',
    data: {
      compaction_id: id,
      mode: 'full',
      through,
      previous: null,
      summary_text: 'What happened.',
      entries: [],
      report: {
        tokens_before: 700,
        tokens_after: 200,
        is_above_threshold: false,
        is_still_due: false,
        covered_tokens: 0,
        replacement_tokens: 0,
        ...PLAIN_REPORT,
      },
    },
  } satisfies NewEvent;
}

export function skipped(id: string, reason: EventData['compaction.skipped']['reason']): NewEvent {
  return { type: 'compaction.skipped', data: { compaction_id: id, reason, detail: 'why' } };
}

export function failed(id: string, willRetry: boolean): NewEvent {
  return {
    type: 'compaction.failed',
    data: {
      compaction_id: id,
      reason: 'timeout',
      message: 'no answer in time',
      attempt: 1,
      will_retry: willRetry,
    },
  };
}

export function packetRequested(deadline_ms: number): NewEvent {
  const attribution = attributionOf('turn_complete');
  return {
    type: 'packet.requested',
    data: { attribution, prompt: 'Write it.', template: 'packet@1', deadline_ms },
  };
}

export const packetReceived: NewEvent = {
  type: 'packet.received',
  data: { source: 'timeout', seq: null, text: null, is_truncated: false },
};

export function cancelled(id: string): NewEvent {
  return { type: 'compaction.cancelled', data: { compaction_id: id } };
}

export function reverted(id: string): NewEvent {
  return {
    type: 'compaction.reverted',
    data: { compaction_id: id, kind: 'full', base: null, tokens: 100 },
  };
}

/** Appends these events whatever the head is; answers the version after them. */
export function append(...events: NewEvent[]): Decide<number> {
  return () => accept({ events, value: (after: Head) => after.state.version });
}

/** Refuses whatever the head is. */
export const refuse: Decide<number> = () => reject('version_mismatch', 'the test refuses');

/** Narrows an event of a list; throws when there is none of the type. */
export function ofType<T extends EventType>(
  events: readonly { type: EventType }[],
  type: T,
): EventOf<T> {
  const found = events.find((event) => event.type === type);
  if (!found) throw new Error(`no ${type} among the events`);
  // The list holds events of the log; the type picks the member of the union.
  return found as EventOf<T>;
}
