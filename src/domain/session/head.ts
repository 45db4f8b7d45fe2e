import type { Attribution } from '../policy/attribution.ts';
import type { Boundary } from '../policy/boundaries.ts';
import type { Config, ConfigOverrides } from '../policy/config.ts';
import { resolveConfig } from '../policy/profiles.ts';
import type { OpenCommand } from '../policy/shell-commands.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import type { Base, EventData, Mode, PacketSource, Trigger } from './events.ts';
import type { ModelCalls } from './model-calls.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Pins } from './pins.ts';
import type { SupersededItem, Told } from './told.ts';
import type { UsageState } from './usage-state.ts';
import type { Terms, World } from './world.ts';

/** What the client chose; changes with `session.configured` only. */
export type Settings = Omit<EventData['session.created'], 'initial_context'>;

/** The compaction under way; at most one per session (SPEC section 10). */
export type Running = {
  id: string;
  status: 'queued' | 'running';
  mode: Mode;
  trigger: Trigger;
  reason: string;
  attempt: number;
  requested_version: number;
  attribution: Attribution;
  before: number | null;
  packet: PacketSource | null;
  /** It ends with a proposal. */
  propose: boolean;
};

/** A finished candidate that waits to be applied or discarded (SPEC section 20). */
export type Proposal = { id: string; trigger: Trigger };

/** A compaction under way as answers show it. */
export type UnderWay = Pick<Running, 'id' | 'status' | 'mode' | 'trigger' | 'reason'>;

/**
 * The small state that `decide` needs: written with every append, so that an append never reads
 * items (DESIGN, decision 1). All token figures are estimates without margin but `usage`.
 */
export type State = UsageState & {
  version: number;
  /** The beginning of what the user has said first; null: nothing yet. */
  title: string | null;
  items: number;
  /** The estimate of the whole context. */
  tokens: number;
  tokens_since_compaction: number;
  base: Base | null;
  running: Running | null;
  /** Oldest first; a change of the context discards them all. */
  proposals: Proposal[];
  pins: Pins;
  calls: ModelCalls;
  /** Messages of user, assistant and tools since the compaction in force. */
  messages: number;
  compactions: { micro: number; full: number; remote: number; skipped: number; failed: number };
  /** Version of the newest event that changed the context by other means than appending. */
  compacted_version: number;
  /** Consecutive automatic compactions that failed or changed nothing. */
  failures: number;
  breaker_reset_at_ms: number | null;
  /** Boundaries seen since the turn began, or since a compaction used them up (SPEC section 11). */
  signals: Boundary[];
  /** Completed steps of the plan, as last seen. */
  completed_steps: number;
  /** Shell calls whose result has not come yet. */
  open_commands: OpenCommand[];
  open_calls: OpenCalls;
  /** The client posts the life cycle of its turns: tiers decide then, no longer the appends. */
  has_life_cycle: boolean;
  /** The agent has been asked for a packet (SPEC section 12). */
  packet_request: { version: number; deadline_ms: number; attribution: Attribution } | null;
  /** The next user message waits for a compaction (SPEC section 11). */
  preflight: { version: number; percent_remaining: number } | null;
  /**
   * The newest message of the user, and the first one of the user that the agent has not answered with
   * a word or a call: what is said to the agent must not be put after it.
   */
  user_message: { version: number; unanswered_from: number | null } | null;
  /** Version of the agent's newest tool call, 0 for none. */
  last_call: number;
  /** Where the watcher last found no natural boundary: it says so once, not at the end of every turn. */
  last_skip: { percent_remaining: number | null; signals: Boundary[] } | null;
  /** The client's history as it came last, and the item that it ends with. */
  told: (Told & { seq: number }) | null;
  /** What was superseded while a compaction was under way, which may have covered it. */
  superseded: SupersededItem[];
  created_at: string;
  updated_at: string;
};

export type Head = { settings: Settings; state: State };

/**
 * Version of the shape of `Settings` and `State`: stored heads of an older one are computed anew from
 * the log when a store is opened.
 */
export const HEAD_VERSION = 19;

/**
 * Whether the user has something to be answered, or has spoken after this version: then nothing that
 * the service adds may stand after it (SPEC section 12).
 */
export function hasUserSpoken({ user_message }: State, since: number): boolean {
  if (user_message === null) return false;
  return user_message.unanswered_from !== null || user_message.version > since;
}

/** Where the packet of a session stands (SPEC section 12). */
export type PacketState = 'idle' | 'awaiting_packet' | 'compacting';

export function packetState({ running, packet_request }: State): PacketState {
  if (running !== null && running.packet !== null) return 'compacting';
  return packet_request === null ? 'idle' : 'awaiting_packet';
}

/**
 * What a request carries that takes the place of a packet that is waited for: the service writes it
 * then (SPEC section 12).
 */
export function standInPacket({ packet_request }: State): { packet?: PacketSource } {
  return packet_request === null ? {} : { packet: { author: 'watcher' } };
}

export function underWay({ running }: State): UnderWay | null {
  if (running === null) return null;
  const { id, status, mode, trigger, reason } = running;
  return { id, status, mode, trigger, reason };
}

/** When the session has to be looked at though nobody calls; null: never. */
export function wakeAtMs({ packet_request }: State): number | null {
  return packet_request?.deadline_ms ?? null;
}

/** Context tokens as SPEC section 5 defines them: reported usage first, else the estimate. */
export function contextTokens(state: UsageState & Pick<State, 'tokens'>, config: Config): number {
  return state.usage === null
    ? withSafetyMargin(state.tokens, config)
    : state.usage + withSafetyMargin(state.tokens_since_usage, config);
}

/** What was resolved last for settings: they are the same object from append to append. */
const resolved = new WeakMap<Settings, { server: ConfigOverrides; config: Config }>();

/** The configuration in force for a session under the server's overrides. */
export function configOf(settings: Settings, server: ConfigOverrides): Config {
  const known = resolved.get(settings);
  if (known?.server === server) return known.config;
  const config = resolveConfig({
    profile: settings.profile,
    context_window: settings.context_window,
    server,
    session: settings.config,
  });
  resolved.set(settings, { server, config });
  return config;
}

/** The terms on which a piece of work begins now. */
export function termsOf(settings: Settings, { server, tokenizers }: World): Terms {
  const { context_window } = settings;
  return { config: configOf(settings, server), context_window, tokenizers };
}
