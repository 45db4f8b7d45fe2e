import { isOnlyAppended } from '../../domain/gateway/in-force.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import { roughTokens } from '../../domain/gateway/rough-tokens.ts';
import { INSTRUCTIONS } from '../../domain/gateway/summary-turn.ts';
import { configOf, contextTokens } from '../../domain/session/head.ts';
import { usableWindow } from '../../domain/tokens/thresholds.ts';
import { lastUsed } from '../last-used.ts';
import type { Ports } from '../ports/ports.ts';
import { sessionKey } from '../session-key.ts';
import { type NamedBy, namedSession } from './find-turn-session.ts';
import { recallAsked, windowAsked } from './turn-settings.ts';

/** Sessions whose last turn is remembered. */
const MOST_SESSIONS = 10_000;
/** The share of the window that is taken at most: what comes with a request is not counted yet. */
const MOST_TAKEN = 0.75;
/**
 * One of these stands in a request that holds an item of ours, or asks for a compaction. As Latin-1 they
 * are the same bytes, and are found in a third of the time.
 */
const ASKS_US = ['"pal', '"compaction_trigger"', ...INSTRUCTIONS];

/**
 * Knows which requests go upstream as they came before they are read, so that their providers need not
 * wait for their plans. It may be wrong: the plan has the last word, and the request is then sent anew.
 */
export class GoingAhead {
  readonly #deps: Pick<Ports, 'store' | 'world'>;
  readonly #unchanged = lastUsed<true>(MOST_SESSIONS);

  constructor(deps: Pick<Ports, 'store' | 'world'>) {
    this.#deps = deps;
  }

  /** Notes a turn: in which session it went upstream as it came; null: it did not. */
  note(request: NamedBy, session_id: string | null): void {
    const ref = namedSession(request);
    if (ref === null) return;
    // In a fork of the session that it names, the fork would have to be looked at.
    if (ref.session_id === session_id) this.#unchanged.set(sessionKey(ref), true);
    else this.#unchanged.delete(sessionKey(ref));
  }

  /**
   * Whether a request goes as it came: the one before did, nothing but appends has changed the context of
   * their session since, there is room left, and nothing in its bytes is meant for us. `unread`: those
   * that were not looked at with the one before. Never rejects.
   */
  async goes(
    request: NamedBy,
    bytes: Uint8Array,
    unread: () => Promise<Uint8Array> = async () => bytes,
  ): Promise<boolean> {
    const { protocol, headers } = request;
    const ref = namedSession(request);
    if (ref === null || !this.#unchanged.has(sessionKey(ref)) || recallAsked(headers) === true) {
      return false;
    }
    const { store, world } = this.#deps;
    const head = await store.head(ref).catch(() => null);
    if (head === null || head.settings.format !== formatOf(protocol)) return false;
    const { state, settings } = head;
    const config = configOf(settings, world.server);
    const isPlain = isOnlyAppended(state) && state.running === null;
    if (!isPlain || config.gateway_recall) return false;
    const window = Math.min(settings.context_window, windowAsked(headers) ?? Infinity);
    const tokens = Math.max(contextTokens(state, config), roughTokens(bytes.byteLength));
    if (tokens >= MOST_TAKEN * usableWindow(config, window)) return false;
    const { buffer, byteOffset, byteLength } = await unread();
    const text = Buffer.from(buffer, byteOffset, byteLength);
    return !ASKS_US.some((words) => text.includes(words, 0, 'latin1'));
  }
}
