import { plainAttribution } from '../policy/attribution.ts';
import { isAutoCompactOn, usableWindow } from '../tokens/thresholds.ts';
import type { Request } from './after-append.ts';
import { automaticRequest } from './automatic-request.ts';
import type { Applied } from './compaction-commands.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept } from './errors.ts';
import { configOf, contextTokens } from './head.ts';
import { passGuard } from './loop-guard.ts';
import type { World } from './world.ts';

type RequestAgain = Request & {
  /** Items that the session had when the compaction that has just ended was planned. */
  items_seen: number;
};

/**
 * Requests an automatic compaction when items that came while another one ran have filled the window:
 * their appends could not ask for one, and the next request to the model would be refused. Does
 * nothing otherwise. Rejects: session_not_found.
 */
export function requestAgain(
  world: World,
  { compaction_id, items_seen, now_ms }: RequestAgain,
): Decide<Applied> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { state, settings } = head;
    const config = configOf(settings, world.server);
    const isFull = contextTokens(state, config) >= usableWindow(config, settings.context_window);
    const isWanted =
      isFull &&
      state.items > items_seen &&
      state.running === null &&
      state.packet_request === null &&
      isAutoCompactOn(config) &&
      config.auto_compact_mode === 'auto';
    const before = isWanted ? passGuard(head, config, now_ms) : null;
    if (before === null) return accept({ events: [], value: () => ({ applied: false }) });
    const event = automaticRequest(compaction_id, plainAttribution('append'));
    return accept({ events: [...before, event], value: () => ({ applied: true }) });
  };
}
