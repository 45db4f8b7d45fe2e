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
  patience: Patience,
): Promise<string | null> {
  if (keys.length === 0) return null;
  return soon(async () => (await gatewayKeys.find(tenant, keys))?.session_id ?? null, patience);
}

/** Looks again and again until something is found; null where the patience ends before. */
export async function soon<T>(
  look: () => Promise<T | null>,
  { ms, signal }: Patience,
): Promise<T | null> {
  const until = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (signal?.aborted === true || performance.now() > until) return null;
    await sleep(LOOK_AGAIN_MS);
  }
}
