import type { EventData, EventOf, SessionEvent, Trigger } from './events.ts';
import type { Head, Running, Settings, State } from './head.ts';
import { savedBy } from './result-edits.ts';
import { NO_USAGE, usageAfter } from './usage-state.ts';

/**
 * The head after one more event: the pure fold of a session's log (SPEC section 3). Throws when the
 * event cannot follow, which only a damaged log can cause.
 */
export function evolve(head: Head | null, event: SessionEvent): Head {
  if (head === null) {
    if (event.type !== 'session.created') {
      throw new Error(`a session starts with session.created, not with ${event.type}`);
    }
    return created(event);
  }
  if (event.version !== head.state.version + 1) {
    throw new Error(`version ${event.version} cannot follow version ${head.state.version}`);
  }
  const { state } = head;
  return {
    settings:
      event.type === 'session.configured'
        ? settingsAfter(head.settings, event.data)
        : head.settings,
    state: {
      ...state,
      ...usageAfter(state, event),
      ...changes(state, event),
      version: event.version,
      updated_at: event.at,
    },
  };
}

function created(event: EventOf<'session.created'>): Head {
  const { initial_context: initial, ...settings } = event.data;
  const tokens = initial.reduce((sum, entry) => sum + entry.tokens, 0);
  return {
    settings,
    state: {
      version: event.version,
      items: 0,
      tokens,
      ...NO_USAGE,
      tokens_since_compaction: tokens,
      base: null,
      running: null,
      compactions: { micro: 0, full: 0, skipped: 0, failed: 0 },
      compacted_version: 0,
      failures: 0,
      breaker_reset_at_ms: null,
      created_at: event.at,
      updated_at: event.at,
    },
  };
}

/** The settings after a `session.configured`: fields replace fields, `config` merges. */
export function settingsAfter(
  settings: Settings,
  { config, ...rest }: EventData['session.configured'],
): Settings {
  return { ...settings, ...rest, config: { ...settings.config, ...config } };
}

/** What one event changes in the state, beside the usage. */
function changes(state: State, event: SessionEvent): Partial<State> {
  switch (event.type) {
    case 'session.created':
      throw new Error('session.created can only be the first event');
    case 'session.forked':
      return {
        base: { compaction_id: null, version: event.version, through: event.version },
        tokens: event.data.entries.reduce((sum, entry) => sum + entry.tokens, state.tokens),
        compacted_version: event.version,
      };
    case 'item.appended':
      return {
        items: state.items + 1,
        tokens: state.tokens + event.data.tokens,
        tokens_since_compaction: state.tokens_since_compaction + event.data.tokens,
      };
    case 'compaction.requested': {
      const { compaction_id: id, mode, trigger, reason } = event.data;
      const requested_version = event.version;
      return {
        running: { id, status: 'queued', mode, trigger, reason, attempt: 0, requested_version },
      };
    }
    case 'compaction.started': {
      const current = running(state, event.data.compaction_id);
      return { running: { ...current, status: 'running', attempt: event.data.attempt } };
    }
    case 'compaction.micro_completed':
      return microCompleted(state, event);
    case 'compaction.completed':
      return completed(state, event);
    case 'compaction.skipped':
      return skipped(state, event.data);
    case 'compaction.failed':
      return failed(state, event.data);
    case 'compaction.cancelled':
      running(state, event.data.compaction_id);
      return ENDED;
    case 'compaction.reverted':
      return {
        tokens: event.data.tokens,
        compacted_version: event.version,
        base: event.data.base,
        // Else the very next append would compact again what somebody has just undone.
        tokens_since_compaction: 0,
      };
    case 'breaker.opened':
      return { breaker_reset_at_ms: event.data.reset_at_ms };
    case 'breaker.closed':
      return { breaker_reset_at_ms: null, failures: 0 };
    case 'session.configured':
    case 'compaction.threshold_exceeded':
      return {};
    default:
      return event satisfies never;
  }
}

const ENDED = { running: null, tokens_since_compaction: 0 } as const;

function microCompleted(
  state: State,
  event: EventOf<'compaction.micro_completed'>,
): Partial<State> {
  const { trigger } = running(state, event.data.compaction_id);
  return {
    ...ENDED,
    tokens: state.tokens - savedBy(event.data.edits),
    compacted_version: event.version,
    failures: failuresAfter(state, trigger, event.data.is_above_threshold),
    compactions: counted(state, 'micro'),
  };
}

function completed(state: State, event: EventOf<'compaction.completed'>): Partial<State> {
  const { compaction_id, through, report } = event.data;
  const { trigger } = running(state, compaction_id);
  return {
    ...ENDED,
    tokens: state.tokens - report.covered_tokens + report.replacement_tokens,
    compacted_version: event.version,
    base: { compaction_id, version: event.version, through },
    failures: failuresAfter(state, trigger, report.is_above_threshold),
    compactions: counted(state, 'full'),
  };
}

/** A compaction that leaves the context above its threshold has not helped (SPEC section 10). */
function failuresAfter(state: State, trigger: Trigger, isAboveThreshold: boolean): number {
  if (!isAboveThreshold) return 0;
  return trigger === 'auto' ? state.failures + 1 : state.failures;
}

function skipped(state: State, data: EventData['compaction.skipped']): Partial<State> {
  const { trigger } = running(state, data.compaction_id);
  // "Below the threshold" and "switched off" are no failures: nothing was tried.
  const tried = data.reason !== 'below_threshold' && data.reason !== 'compaction_disabled';
  return {
    ...ENDED,
    failures: tried && trigger === 'auto' ? state.failures + 1 : state.failures,
    compactions: counted(state, 'skipped'),
  };
}

function failed(state: State, data: EventData['compaction.failed']): Partial<State> {
  const current = running(state, data.compaction_id);
  if (data.will_retry) return { running: { ...current, status: 'queued' } };
  return {
    ...ENDED,
    failures: current.trigger === 'auto' ? state.failures + 1 : state.failures,
    compactions: counted(state, 'failed'),
  };
}

function counted(state: State, kind: keyof State['compactions']): State['compactions'] {
  return { ...state.compactions, [kind]: state.compactions[kind] + 1 };
}

function running(state: State, compactionId: string): Running {
  if (state.running?.id !== compactionId) {
    throw new Error(`compaction ${compactionId} is not the one under way`);
  }
  return state.running;
}
