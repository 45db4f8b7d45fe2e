import { lastUsed } from '../last-used.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { sessionKey } from '../session-key.ts';
import { type Bypass, noteBypass } from './note-bypass.ts';

/** Sessions that this is remembered of. */
const MOST_SESSIONS = 1_000;

/**
 * Requests that went past the gateway, until the logs of their sessions can say so: at once, or, where
 * the store is away, with the next request that does not.
 */
export class MissedTurns {
  readonly #deps: Pick<Ports, 'store' | 'clock'>;
  readonly #missed = lastUsed<Bypass & { ref: SessionRef }>(MOST_SESSIONS);

  constructor(deps: Pick<Ports, 'store' | 'clock'>) {
    this.#deps = deps;
  }

  /** Never rejects. */
  async note(ref: SessionRef, reason: string): Promise<void> {
    const turns = (this.#missed.get(sessionKey(ref))?.turns ?? 0) + 1;
    this.#missed.set(sessionKey(ref), { ref, reason, turns });
    await this.write(ref);
  }

  /** Writes down what was missed of a session, if anything; never rejects. */
  async write(ref: SessionRef): Promise<void> {
    const key = sessionKey(ref);
    const missed = this.#missed.get(key);
    if (missed === undefined) return;
    const { reason, turns } = missed;
    this.#missed.delete(key);
    try {
      await noteBypass(this.#deps, ref, { reason, turns });
    } catch {
      const since = this.#missed.get(key);
      const all = turns + (since?.turns ?? 0);
      this.#missed.set(key, { ref, reason: since?.reason ?? reason, turns: all });
    }
  }
}
