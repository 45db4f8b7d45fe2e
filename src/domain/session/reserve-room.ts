import { isAutoCompactOn, thresholds, usableWindow } from '../tokens/thresholds.ts';
import type { Request } from './after-append.ts';
import { configureSession, sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { dueByItself } from './due-by-itself.ts';
import { accept } from './errors.ts';
import { configOf, contextTokens } from './head.ts';
import type { World } from './world.ts';

type ReserveRoom = Request & {
  /** Tokens of the client's requests that are not in the count of the context. */
  overhead: number;
};

/** `requested`: whether the context as it is needs a compaction now, which bears the given id. */
export type RoomReserved = { requested: boolean; note: string | null };

/** Of the window: a figure that creeps is not to fill the log. */
const STEPS = 40;
/** Of the window: with less than half left, compactions would follow each other without end. */
const MOST_SHARE = 0.5;

/**
 * Makes compactions begin early enough that a context below its limit leaves `overhead` tokens of the
 * window free: raises `free_space_buffer`, never lowers it, and requests a compaction where the context
 * is above the new limit (decision 0049). Does nothing where the limit leaves that much already, or
 * where the configuration has no room for it, which the note says. Rejects: session_not_found.
 */
export function reserveRoom(
  world: World,
  { overhead, compaction_id, now_ms }: ReserveRoom,
): Decide<RoomReserved> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { context_window } = head.settings;
    const config = configOf(head.settings, world.server);
    const window = usableWindow(config, context_window);
    const most = Math.floor(window * MOST_SHARE);
    const step = Math.ceil(window / STEPS);
    const wanted = Math.min(most, Math.ceil(overhead / step) * step);
    const note =
      overhead <= most
        ? null
        : `an overhead of ${overhead} tokens leaves no room in a window of ${window}: ${most} are kept free`;
    const isRoomy = window - thresholds(config, context_window).threshold >= overhead;
    if (isRoomy || config.free_space_buffer >= wanted || !isAutoCompactOn(config)) {
      return accept({ events: [], value: () => ({ requested: false, note }) });
    }
    const change = { config: { free_space_buffer: wanted } };
    const configured = configureSession(world, change, compaction_id)(head);
    if (!configured.ok) {
      return accept({
        events: [],
        value: () => ({ requested: false, note: configured.rejection.detail }),
      });
    }
    const { settings, state } = head;
    const next = configOf(
      { ...settings, config: { ...settings.config, ...change.config } },
      world.server,
    );
    const isDue =
      next.auto_compact_trigger === 'threshold' &&
      contextTokens(state, next) >= thresholds(next, context_window).threshold;
    const request = isDue ? dueByItself(head, next, { compaction_id, now_ms }) : null;
    const events = [...configured.value.events, ...(request ?? [])];
    return accept({ events, value: () => ({ requested: request !== null, note }) });
  };
}
