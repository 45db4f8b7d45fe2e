import { windowTold } from '../../domain/gateway/too-long.ts';
import { configOf, contextTokens } from '../../domain/session/head.ts';
import { changeSession } from '../change-session.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * Makes the window of a session as small as its provider says that it is. A window in which its profile
 * would have no room stays as it was.
 */
export async function learnWindow(
  deps: Pick<Ports, 'store' | 'world' | 'clock' | 'newId' | 'contextWindowOf' | 'modelRefusal'>,
  ref: SessionRef,
  refusal: string,
): Promise<void> {
  const head = await deps.store.head(ref);
  if (head === null) return;
  const tokens = contextTokens(head.state, configOf(head.settings, deps.world.server));
  const context_window = windowTold(refusal, tokens);
  if (context_window >= head.settings.context_window) return;
  await changeSession(deps, ref, { context_window });
}
