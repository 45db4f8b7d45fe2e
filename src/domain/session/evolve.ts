import type { EventData, EventOf, SessionEvent } from './events.ts';
import type { Head, Running, State } from './head.ts';

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
  const state = { ...head.state, version: event.version, updated_at: event.at };
  const settings =
    event.type === 'session.configured' ? configured(head, event.data) : head.settings;
  applyToState(state, event);
  return { settings, state };
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
      usage: null,
      tokens_since_usage: 0,
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

function configured(head: Head, data: EventData['session.configured']): Head['settings'] {
  const { config, ...rest } = data;
  return { ...head.settings, ...rest, config: { ...head.settings.config, ...config } };
}

/** Writes the effect of one event into a fresh copy of the state. */
function applyToState(state: State, event: SessionEvent): void {
  switch (event.type) {
    case 'session.created':
      throw new Error('session.created can only be the first event');
    case 'session.configured':
      return;
    case 'session.forked':
      state.base = { compaction_id: 'fork', version: event.version, through: event.version };
      state.tokens += event.data.entries.reduce((sum, entry) => sum + entry.tokens, 0);
      state.compacted_version = event.version;
      return;
    case 'item.appended':
      return append(state, event.data);
    case 'compaction.requested':
      state.running = {
        id: event.data.compaction_id,
        status: 'queued',
        mode: event.data.mode,
        trigger: event.data.trigger,
        reason: event.data.reason,
        attempt: 0,
        requested_version: event.version,
      };
      return;
    case 'compaction.started':
      state.running = {
        ...running(state, event.data.compaction_id),
        status: 'running',
        attempt: event.data.attempt,
      };
      return;
    case 'compaction.micro_completed':
      return microCompleted(state, event);
    case 'compaction.completed':
      return completed(state, event);
    case 'compaction.skipped': {
      const { trigger } = running(state, event.data.compaction_id);
      // "Below the threshold" and "switched off" are no failures: nothing was tried.
      const tried = !['below_threshold', 'compaction_disabled'].includes(event.data.reason);
      if (tried && trigger === 'auto') state.failures += 1;
      state.compactions = { ...state.compactions, skipped: state.compactions.skipped + 1 };
      return end(state);
    }
    case 'compaction.failed': {
      const current = running(state, event.data.compaction_id);
      if (event.data.will_retry) {
        state.running = { ...current, status: 'queued' };
        return;
      }
      if (current.trigger === 'auto') state.failures += 1;
      state.compactions = { ...state.compactions, failed: state.compactions.failed + 1 };
      return end(state);
    }
    case 'compaction.cancelled':
      running(state, event.data.compaction_id);
      return end(state);
    case 'compaction.reverted':
      state.base = event.data.base;
      contextReplaced(state, event.version, event.data.tokens);
      // Else the very next append would compact again what somebody has just undone.
      state.tokens_since_compaction = 0;
      return;
    case 'compaction.threshold_exceeded':
      return;
    case 'breaker.opened':
      state.breaker_reset_at_ms = event.data.reset_at_ms;
      return;
    case 'breaker.closed':
      state.breaker_reset_at_ms = null;
      state.failures = 0;
      return;
    default:
      event satisfies never;
  }
}

function append(state: State, data: EventData['item.appended']): void {
  state.items += 1;
  state.tokens += data.tokens;
  state.tokens_since_compaction += data.tokens;
  if (data.usage === undefined) {
    state.tokens_since_usage += data.tokens;
  } else {
    state.usage = data.usage;
    state.tokens_since_usage = 0;
  }
}

function microCompleted(state: State, event: EventOf<'compaction.micro_completed'>): void {
  running(state, event.data.compaction_id);
  const saved = event.data.edits.reduce(
    (sum, edit) => sum + edit.tokens_before - edit.tokens_after,
    0,
  );
  contextReplaced(state, event.version, state.tokens - saved);
  if (!event.data.is_final) return;
  state.failures = 0;
  state.compactions = { ...state.compactions, micro: state.compactions.micro + 1 };
  end(state);
}

function completed(state: State, event: EventOf<'compaction.completed'>): void {
  const { trigger } = running(state, event.data.compaction_id);
  const { compaction_id, through, report } = event.data;
  state.base = { compaction_id, version: event.version, through };
  contextReplaced(
    state,
    event.version,
    state.tokens - report.covered_tokens + report.replacement_tokens,
  );
  if (!report.is_above_threshold) state.failures = 0;
  else if (trigger === 'auto') state.failures += 1;
  state.compactions = { ...state.compactions, full: state.compactions.full + 1 };
  end(state);
}

/** A usage figure from before a compaction must never be used after it (SPEC section 5). */
function contextReplaced(state: State, version: number, tokens: number): void {
  state.tokens = tokens;
  state.usage = null;
  state.tokens_since_usage = 0;
  state.compacted_version = version;
}

function end(state: State): void {
  state.running = null;
  state.tokens_since_compaction = 0;
}

function running(state: State, compactionId: string): Running {
  if (state.running?.id !== compactionId) {
    throw new Error(`compaction ${compactionId} is not the one under way`);
  }
  return state.running;
}
