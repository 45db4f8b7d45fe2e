import type { Format } from '../items/item.ts';
import type { JsonObject } from '../json.ts';
import type { Config, ConfigOverrides } from '../policy/config.ts';
import { type Profile, resolveConfig } from '../policy/profiles.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import type { Base, Mode, Trigger } from './events.ts';
import type { UsageState } from './usage-state.ts';

/** What the client chose; changes with `session.configured` only. */
export type Settings = {
  format: Format;
  profile: Profile;
  config: ConfigOverrides;
  model: string | null;
  context_window: number;
  metadata: JsonObject;
};

export type CompactionStatus = 'queued' | 'running';

/** The compaction under way; at most one per session (SPEC section 10). */
export type Running = {
  id: string;
  status: CompactionStatus;
  mode: Mode;
  trigger: Trigger;
  reason: string;
  attempt: number;
  requested_version: number;
};

/**
 * The small state that `decide` needs: written with every append, so that an append never reads
 * items (DESIGN, decision 1). All token figures are estimates without margin but `usage`.
 */
export type State = UsageState & {
  version: number;
  items: number;
  /** The estimate of the whole context. */
  tokens: number;
  tokens_since_compaction: number;
  base: Base | null;
  running: Running | null;
  compactions: { micro: number; full: number; skipped: number; failed: number };
  /** Version of the newest event that changed the context by other means than appending. */
  compacted_version: number;
  /** Consecutive automatic compactions that failed or changed nothing. */
  failures: number;
  breaker_reset_at_ms: number | null;
  created_at: string;
  updated_at: string;
};

export type Head = { settings: Settings; state: State };

/** Context tokens as SPEC section 5 defines them: reported usage first, else the estimate. */
export function contextTokens(state: UsageState & Pick<State, 'tokens'>, config: Config): number {
  return state.usage === null
    ? withSafetyMargin(state.tokens, config)
    : state.usage + withSafetyMargin(state.tokens_since_usage, config);
}

/** The configuration in force for a session under the server's overrides. */
export function configOf(settings: Settings, server: ConfigOverrides): Config {
  return resolveConfig({
    profile: settings.profile,
    context_window: settings.context_window,
    server,
    session: settings.config,
  });
}
