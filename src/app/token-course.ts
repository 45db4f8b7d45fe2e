import { accept } from '../domain/session/errors.ts';
import { CONTEXT_CHANGES, type EventType } from '../domain/session/events.ts';
import { configOf } from '../domain/session/head.ts';
import { type CoursePoint, tokenCourse } from '../domain/session/token-course.ts';
import { thresholds, usableWindow } from '../domain/tokens/thresholds.ts';
import { changedContext } from './changed-context.ts';
import { findSession } from './find.ts';
import type { CompactionRow, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { levelsOf } from './session-state.ts';

/** The newest events that are gone through one by one, and the bytes with which they end. */
const EXACT_EVENTS = 1_500;
const EXACT_BYTES = 2_000_000;
/** Compactions that are shown, the newest. */
const COMPACTIONS = 200;
const SIZES: readonly EventType[] = ['session.created', 'item.appended', ...CONTEXT_CHANGES];

/**
 * How the context of a session grew and shrank over its versions (SPEC 2, section 27). The newest part is
 * exact, item by item, from `exact_from` on; before it only what the compactions have recorded is known,
 * so that the cost does not go with the length of the log. Rejects: session_not_found.
 */
export async function readTokenCourse(ports: Pick<Ports, 'store' | 'world'>, ref: SessionRef) {
  const { store, world } = ports;
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  const { settings, state } = found.value;
  const config = configOf(settings, world.server);
  const { tokens } = levelsOf(found.value, world);
  const newest = await store.events(ref, {
    types: SIZES,
    up_to: state.version,
    newest_first: true,
    limit: EXACT_EVENTS,
    max_bytes: EXACT_BYTES,
  });
  const events = newest.reverse();
  const end = { version: state.version, tokens };
  const exact = tokenCourse(events, end, config.token_safety_multiplier);
  const exact_from = exact[0]?.version ?? state.version;
  const { data, next_cursor } = await store.compactions(ref, { limit: COMPACTIONS });
  const from = next_cursor === null ? 1 : (data.at(-1)?.requested_version ?? 1);
  const early = events[0]?.version === 1 ? [] : earlier(data, exact_from, from);
  const window = usableWindow(config, settings.context_window);
  return accept({
    points: [...early, ...exact],
    exact_from,
    /** The chart begins here: what came before is not shown. */
    from: Math.min(from, exact_from),
    version: state.version,
    tokens,
    window,
    threshold: thresholds(config, settings.context_window).threshold,
    compactions: data.filter(changedContext).map(markOf),
  });
}

/** The sizes that compactions have recorded before a version, oldest first. */
function earlier(rows: readonly CompactionRow[], before: number, from: number): CoursePoint[] {
  const points: CoursePoint[] = from === 1 ? [{ version: 1, tokens: 0 }] : [];
  for (const row of [...rows].reverse()) {
    const { tokens_before, tokens_after, ended_version } = row;
    if (!changedContext(row) || ended_version === null || ended_version >= before) continue;
    if (tokens_before === null || tokens_after === null) continue;
    points.push({ version: ended_version - 1, tokens: tokens_before });
    points.push({ version: ended_version, tokens: tokens_after });
  }
  return points;
}

function markOf(row: CompactionRow) {
  return {
    id: row.id,
    version: row.ended_version ?? row.requested_version,
    outcome: row.outcome,
    trigger: row.trigger,
    tokens_before: row.tokens_before,
    tokens_after: row.tokens_after,
    is_reverted: row.reverted_at !== null,
  };
}
