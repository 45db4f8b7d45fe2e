import { isOfModel, withModelWindow } from '../../domain/gateway/model-window.ts';
import { windowTold } from '../../domain/gateway/too-long.ts';
import { configOf, contextTokens } from '../../domain/session/head.ts';
import { changeSession } from '../change-session.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * Makes the window of a session as small as its provider says that it is, whatever models its requests
 * name from now on. A window in which its profile would have no room stays as it was, and so does one of
 * another model: `model_window` is what that of the refused request can read, null where it is not known.
 */
export async function learnWindow(
  deps: Pick<Ports, 'store' | 'world' | 'clock' | 'newId' | 'contextWindowOf' | 'modelRefusal'>,
  ref: SessionRef,
  { refusal, model_window }: { refusal: string; model_window: number | null },
): Promise<void> {
  const head = await deps.store.head(ref);
  if (head === null) return;
  const { settings } = head;
  if (model_window !== null && model_window < settings.context_window && isOfModel(settings))
    return;
  const tokens = contextTokens(head.state, configOf(settings, deps.world.server));
  const context_window = windowTold(refusal, tokens);
  if (context_window >= settings.context_window) return;
  const metadata = isOfModel(settings) ? withModelWindow(settings.metadata, null) : null;
  await changeSession(deps, ref, { context_window, ...(metadata !== null && { metadata }) });
}
