import { setTimeout as sleep } from 'node:timers/promises';
import type { Ports } from '../ports/ports.ts';

const LOOK_AGAIN_MS = 50;
/** The newest answer may be on its way into the log for so long, in milliseconds. */
export const RECORDING_MS = 2_000;

/** How long it is waited for, in milliseconds, and who no longer does. */
type Patience = { ms: number; signal?: AbortSignal };

/**
 * The session that the first known of these keys names, also of one that is noted a moment later: a
 * client may go on from an answer that is still on its way into the log. Null where none is.
 */
export async function notedSoon(
  { gatewayKeys }: Pick<Ports['store'], 'gatewayKeys'>,
  tenant: string,
  keys: readonly string[],
  { ms, signal }: Patience,
): Promise<string | null> {
  if (keys.length === 0) return null;
  const until = performance.now() + ms;
  for (;;) {
    const known = await gatewayKeys.find(tenant, keys);
    if (known !== null) return known.session_id;
    if (signal?.aborted === true || performance.now() > until) return null;
    await sleep(LOOK_AGAIN_MS);
  }
}
