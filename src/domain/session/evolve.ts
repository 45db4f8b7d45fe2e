import { codecFor, type Format } from '../items/codecs.ts';
import type { Item, Normalised } from '../items/item.ts';
import { speakerOf } from '../items/speaker.ts';
import type { Boundary } from '../policy/boundaries.ts';
import { callKey } from './call-key.ts';
import { changesContext, type EventData, type EventOf, type SessionEvent } from './events.ts';
import {
  completed,
  endOf,
  failed,
  microCompleted,
  observedCompaction,
  proposed,
  requested,
  running,
  skipped,
  without,
} from './evolve-compaction.ts';
import type { Head, Settings, State } from './head.ts';
import { callsAfter, NO_CALLS } from './model-calls.ts';
import { NO_OPEN_CALLS, type OpenCalls, openCallsAfter } from './open-calls.ts';
import { NO_PINS, withoutPin, withPin } from './pins.ts';
import { titleOf } from './title.ts';
import type { SupersededItem } from './told.ts';
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
  // Not all of the state: it would be copied twice for each event.
  const { usage, tokens_since_usage, stale_usage_from } = head.state;
  const state = { ...head.state };
  // Changed in the copy: behind a spread each field would be defined anew, which takes several times as long.
  Object.assign(state, usageAfter({ usage, tokens_since_usage, stale_usage_from }, event));
  if (changesContext(event)) state.compacted_version = event.version;
  Object.assign(state, changes(head, event));
  state.version = event.version;
  // A clock that was set back makes no session look as if it was left alone since then.
  if (event.at > state.updated_at) state.updated_at = event.at;
  return {
    settings:
      event.type === 'session.configured'
        ? settingsAfter(head.settings, event.data)
        : head.settings,
    state,
  };
}

function created(event: EventOf<'session.created'>): Head {
  const { initial_context: initial, ...settings } = event.data;
  const tokens = initial.reduce((sum, entry) => sum + entry.tokens, 0);
  return {
    settings,
    state: {
      version: event.version,
      // Not of the initial context, which is there before anybody asks for anything.
      title: null,
      items: 0,
      tokens,
      ...NO_USAGE,
      tokens_since_compaction: tokens,
      base: null,
      running: null,
      proposals: [],
      pins: NO_PINS,
      calls: NO_CALLS,
      messages: 0,
      compactions: { micro: 0, full: 0, remote: 0, skipped: 0, failed: 0 },
      compacted_version: 0,
      failures: 0,
      breaker_reset_at_ms: null,
      signals: [],
      completed_steps: 0,
      open_commands: [],
      open_calls: openCallsIn(settings.format, initial, NO_OPEN_CALLS),
      has_life_cycle: false,
      packet_request: null,
      preflight: null,
      user_message: null,
      last_call: 0,
      last_skip: null,
      told: null,
      superseded: [],
      created_at: event.at,
      updated_at: event.at,
    },
  };
}

function openCallsIn(
  format: Format,
  entries: readonly { item: Item }[],
  before: OpenCalls,
): OpenCalls {
  const codec = codecFor(format);
  return openCallsAfter(
    before,
    entries.map(({ item }) => codec.normalise(item)),
  );
}

/** The title that the first item gives which has one. */
function titleIn(format: Format, entries: readonly { item: Item }[]): string | null {
  const codec = codecFor(format);
  for (const { item } of entries) {
    const title = titleOf(codec.normalise(item));
    if (title !== null) return title;
  }
  return null;
}

/** The settings after a `session.configured`: fields replace fields, `config` merges. */
export function settingsAfter(
  settings: Settings,
  { config, ...rest }: EventData['session.configured'],
): Settings {
  return { ...settings, ...rest, config: { ...settings.config, ...config } };
}

/** What one event changes in the state, beside the usage. */
function changes({ state, settings }: Head, event: SessionEvent): Partial<State> {
  switch (event.type) {
    case 'session.created':
      throw new Error('session.created can only be the first event');
    case 'session.forked':
      return {
        base: { compaction_id: null, version: event.version, through: event.version },
        tokens: event.data.entries.reduce((sum, entry) => sum + entry.tokens, state.tokens),
        open_calls: openCallsIn(settings.format, event.data.entries, state.open_calls),
        title: state.title ?? titleIn(settings.format, event.data.entries),
      };
    case 'item.appended':
      return appended(state, settings, event);
    case 'signal.observed':
      return observed(state, event.data);
    case 'item.superseded':
      return superseded(state, event.data.items);
    case 'pin.added':
      return {
        tokens: state.tokens + event.data.tokens_change,
        pins: withPin(state.pins, event.version, event.data),
      };
    case 'pin.removed':
      return {
        tokens: state.tokens + event.data.tokens_change,
        pins: withoutPin(state.pins, event.version, event.data.pin_id),
      };
    case 'compaction.requested':
      return requested(state, event);
    case 'compaction.started': {
      const current = running(state, event.data.compaction_id);
      return {
        running: { ...current, status: 'running', attempt: event.data.attempt },
        // The attempt reads the context without them.
        superseded: [],
      };
    }
    case 'compaction.micro_completed':
      return microCompleted(state, event);
    case 'compaction.completed':
      return completed(state, event);
    case 'compaction.proposed':
      return proposed(state, event.data.compaction_id);
    case 'compaction.discarded':
      return { proposals: without(state.proposals, event.data.compaction_id) };
    case 'compaction.observed':
      return observedCompaction(event);
    case 'compaction.skipped':
      return skipped(state, event.data);
    case 'compaction.failed':
      return failed(state, event.data);
    case 'compaction.cancelled':
      return endOf(running(state, event.data.compaction_id));
    case 'compaction.reverted':
      return {
        tokens: event.data.tokens,
        base: event.data.base,
        // Else the very next append would compact again what somebody has just undone.
        tokens_since_compaction: 0,
      };
    case 'breaker.opened':
      return { breaker_reset_at_ms: event.data.reset_at_ms };
    case 'breaker.closed':
      return { breaker_reset_at_ms: null, failures: 0 };
    case 'packet.requested':
      return packetRequested(event);
    case 'packet.received':
      return { packet_request: null };
    case 'preflight.armed': {
      const { percent_remaining } = event.data;
      return { preflight: { version: event.version, percent_remaining } };
    }
    case 'session.configured':
    case 'compaction.threshold_exceeded':
    case 'hook.ran':
    case 'turn.bypassed':
      return {};
    default:
      return event satisfies never;
  }
}

/** Shell calls beyond so many that wait for their results are forgotten, oldest first. */
const MOST_OPEN_COMMANDS = 64;

function appended(
  state: State,
  { format }: Settings,
  { data, version }: EventOf<'item.appended'>,
): Partial<State> {
  const codec = codecFor(format);
  const item = codec.normalise(data.item);
  const changed: Partial<State> = {
    items: state.items + 1,
    open_calls: openCallsAfter(state.open_calls, [item]),
  };
  if (data.told !== undefined) changed.told = { ...data.told, seq: version };
  if (data.excluded !== undefined) return changed;
  changed.tokens = state.tokens + data.tokens;
  changed.open_commands = openCommands(state, data);
  // What the service itself adds is no news, and said by nobody.
  if (data.source !== undefined) return changed;
  changed.tokens_since_compaction = state.tokens_since_compaction + data.tokens;
  changed.calls = callsAfter(state.calls, data.item, item);
  if (codec.isMessage(data.item)) changed.messages = state.messages + 1;
  if (state.title === null) changed.title = titleOf(item);
  return Object.assign(changed, spoken(state, item, version));
}

/** Who has spoken last. */
function spoken({ user_message }: State, item: Normalised, version: number): Partial<State> {
  switch (item.kind === 'message' ? speakerOf(item) : null) {
    case 'user': {
      const unanswered_from = user_message?.unanswered_from ?? version;
      return { user_message: { version, unanswered_from } };
    }
    case 'assistant':
      return {
        ...(user_message !== null && { user_message: { ...user_message, unanswered_from: null } }),
        ...(callsTool(item) && { last_call: version }),
      };
    default:
      return {};
  }
}

function callsTool(item: Normalised): boolean {
  return item.kind === 'message' && item.parts.some(({ kind }) => kind === 'tool_call');
}

/** What the client no longer has does not stand in the context, nor does it answer the user. */
function superseded(state: State, items: readonly SupersededItem[]): Partial<State> {
  const { user_message, told, running: underWay } = state;
  const first = Math.min(...items.map(({ seq }) => seq));
  return {
    tokens: state.tokens - items.reduce((sum, { tokens }) => sum + tokens, 0),
    told: told !== null && told.seq >= first ? null : told,
    ...(user_message !== null &&
      user_message.unanswered_from === null &&
      first > user_message.version && {
        user_message: { ...user_message, unanswered_from: user_message.version },
      }),
    ...(underWay !== null && { superseded: [...state.superseded, ...items] }),
  };
}

function openCommands(
  { open_commands }: State,
  { commands = [], closed_commands: closed = [] }: EventData['item.appended'],
): State['open_commands'] {
  const ended = new Set(closed.map(callKey));
  const open = open_commands.filter(({ id }) => !ended.has(id));
  // Events of older releases hold the ids as they came.
  const opened = commands
    .slice(-MOST_OPEN_COMMANDS)
    .map(({ id, boundary }) => ({ id: callKey(id), boundary }));
  return [...open, ...opened].slice(-MOST_OPEN_COMMANDS);
}

function packetRequested(event: EventOf<'packet.requested'>): Partial<State> {
  const { deadline_ms, attribution } = event.data;
  // What the request rests on is used up; the turn that writes the packet adds nothing.
  return { packet_request: { version: event.version, deadline_ms, attribution }, signals: [] };
}

function observed(state: State, data: EventData['signal.observed']): Partial<State> {
  const has_life_cycle = state.has_life_cycle || data.source === 'posted';
  switch (data.signal) {
    case 'turn_started':
      // A derived one stands after the items of its append, which may have opened commands.
      return data.source === 'derived'
        ? { signals: [] }
        : { signals: [], open_commands: [], has_life_cycle };
    case 'sampling_complete':
      return { has_life_cycle };
    case 'turn_complete':
      return { has_life_cycle, signals: withBoundary(state.signals, data.signal) };
    default:
      return {
        signals: withBoundary(state.signals, data.signal),
        ...(data.completed_steps !== undefined && { completed_steps: data.completed_steps }),
      };
  }
}

function withBoundary(signals: Boundary[], boundary: Boundary): Boundary[] {
  return signals.includes(boundary) ? signals : [...signals, boundary];
}
