import { usableWindow } from '../tokens/thresholds.ts';
import type { Request } from './after-append.ts';
import type { Applied } from './compaction-commands.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { dueByItself } from './due-by-itself.ts';
import { accept } from './errors.ts';
import { configOf, contextTokens } from './head.ts';
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
    const isWanted = isFull && state.items > items_seen;
    const events = isWanted ? dueByItself(head, config, { compaction_id, now_ms }) : null;
    return accept({ events: events ?? [], value: () => ({ applied: events !== null }) });
  };
}
