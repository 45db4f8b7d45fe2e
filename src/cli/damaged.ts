import type { SessionRef } from '../app/ports/event-store.ts';
import { plainText } from './terminal/plain-text.ts';

/** Names the sessions on stderr that a command has passed over because their events are damaged. */
export function tellDamaged(sessions: readonly SessionRef[]): void {
  for (const { tenant, session_id } of sessions) {
    console.error(plainText(`Session "${session_id}" of tenant "${tenant}": its log is damaged.`));
  }
  if (sessions.length > 0) console.error('"palimpsest verify" says where: restore them.');
}
