import { codecFor } from '../items/codecs.ts';
import { measureItem, usageTokens } from '../items/measure.ts';
import type { Json } from '../json.ts';
import type { Config } from '../policy/config.ts';
import { isAutoCompactOn, type ThresholdState, thresholdState } from '../tokens/thresholds.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { checkItems } from './check-items.ts';
import { checkRoom, created, type NewSession } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { Mode, NewEvent, Trigger } from './events.ts';
import { evolve } from './evolve.ts';
import { type CompactionStatus, configOf, contextTokens, type Head } from './head.ts';
import type { World } from './world.ts';

export type AppendItems = {
  /** Unchecked items of the client; at least one. */
  items: readonly Json[];
  /** Used when the session does not exist yet. */
  defaults: NewSession;
  /** The version that the client believes to be current (`If-Match`). */
  expected_version?: number;
  /** The id of the compaction that this append may request. */
  compaction_id: string;
  now_ms: number;
  at: string;
};

export type Appended = {
  version: number;
  first_seq: number;
  last_seq: number;
  context: ThresholdState;
  compaction: {
    id: string;
    status: CompactionStatus;
    mode: Mode;
    trigger: Trigger;
    reason: string;
  } | null;
};

/**
 * Appends items, all or nothing, and requests a compaction in the same write when the context has
 * reached its threshold (SPEC sections 2, 6, 10; DESIGN, decision 2).
 * Rejects: version_mismatch, invalid_item, invalid_config (a new session whose window has no room).
 */
export function appendItems(world: World, command: AppendItems): Decide<Appended> {
  return (head) => {
    const mismatch = checkVersion(head, command.expected_version);
    if (mismatch !== null) return mismatch;
    const roomy = head === null ? checkRoom(world, command.defaults) : accept(null);
    if (!roomy.ok) return roomy;
    const events: NewEvent[] = [];
    let current = head;
    const push = (event: NewEvent): Head => {
      events.push(event);
      const version = (current?.state.version ?? 0) + 1;
      current = evolve(current, { ...event, version, at: command.at });
      return current;
    };
    let after = current ?? push(created(command.defaults));
    const { settings } = after;
    const config = configOf(settings, world.server);
    const appended = appendedEvents(world, command.items, after, config);
    if (!appended.ok) return appended;
    const first = after.state.version + 1;
    for (const event of appended.value) after = push(event);
    const last = after.state.version;
    for (const event of autoCompaction(after, config, command)) after = push(event);
    const context = thresholdState(
      contextTokens(after.state, config),
      config,
      settings.context_window,
    );
    const { running } = after.state;
    const value: Appended = {
      version: after.state.version,
      first_seq: first,
      last_seq: last,
      context,
      compaction: running && {
        id: running.id,
        status: running.status,
        mode: running.mode,
        trigger: running.trigger,
        reason: running.reason,
      },
    };
    return accept({ events, value: () => value });
  };
}

function checkVersion(head: Head | null, expected: number | undefined): Outcome<never> | null {
  const actual = head?.state.version ?? 0;
  if (expected === undefined || expected === actual) return null;
  return reject(
    'version_mismatch',
    `the session is at version ${actual}, not ${expected}: read it again and decide anew`,
  );
}

function appendedEvents(
  world: World,
  items: readonly Json[],
  head: Head,
  config: Config,
): Outcome<NewEvent[]> {
  const { format } = head.settings;
  const codec = codecFor(format);
  const count = counterFor(config, world.tokenizers);
  const checked = checkItems(codec, 'items', items);
  if (!checked.ok) {
    const what = checked.errors.length === 1 ? 'an item does' : 'items do';
    return reject(
      'invalid_item',
      `nothing was appended: ${what} not fit the session's format "${format}"`,
      checked.errors,
    );
  }
  return accept(
    checked.items.map((item): NewEvent => {
      const { normalised, tokens } = measureItem(codec, item, count, config);
      const usage = usageTokens(normalised);
      const data = usage === undefined ? { item, tokens } : { item, tokens, usage };
      return { type: 'item.appended', data };
    }),
  );
}

/** The events that follow when the context is at its threshold; none when a rule holds it back. */
function autoCompaction(
  head: Head,
  config: Config,
  command: Pick<AppendItems, 'compaction_id' | 'now_ms'>,
): NewEvent[] {
  const { state, settings } = head;
  if (!isAutoCompactOn(config) || state.running !== null) return [];
  const tokens = contextTokens(state, config);
  const { is_above_auto_compact } = thresholdState(tokens, config, settings.context_window);
  if (!is_above_auto_compact) return [];
  // Loop guard (SPEC section 10). Beyond the window itself the next request would be refused anyway.
  const isEmergency = tokens >= settings.context_window;
  // The end of a compaction, a cancelled one included, starts the second count anew.
  const isFirst = state.tokens_since_compaction === state.tokens;
  const hasNews = state.tokens_since_compaction >= config.min_new_tokens_between_compactions;
  if (!isFirst && !hasNews && !isEmergency) return [];
  const events: NewEvent[] = [];
  if (state.breaker_reset_at_ms !== null) {
    if (command.now_ms < state.breaker_reset_at_ms) return [];
    events.push({ type: 'breaker.closed', data: { reason: 'timeout' } });
  }
  events.push({
    type: 'compaction.requested',
    data: {
      compaction_id: command.compaction_id,
      mode: 'auto',
      trigger: 'auto',
      reason: 'token_limit',
    },
  });
  return events;
}
