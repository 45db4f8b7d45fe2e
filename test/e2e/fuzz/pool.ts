import { FORMATS, type Format } from '../../../src/domain/items/codecs.ts';
import { isJsonObject, type Json, stringField } from '../../../src/domain/json.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';

const SESSIONS = 18;
const REMEMBERED_PER_SESSION = 5;
const WINDOWS = [2_000, 8_000, 200_000];

/** The end of nearly any turn asks the agent for a packet. */
const WATCHED = {
  auto_compact_trigger: 'tiers',
  trigger_ready_percent_remaining_lt: 100,
  trigger_emergency_percent_remaining_lt: 0,
  auto_requires_any_boundary: ['turn_complete'],
  packet_author: 'agent',
};

/** Ids that requests use again and again, so that the sessions behind them reach deeper states. */
export class Pool {
  /** By session, newest first. */
  readonly #compactions = new Map<string, string[]>();
  /** By session, the newest. */
  readonly #pins = new Map<string, string>();
  /** The session that was asked for a packet last: nearly anything else ends its wait soon. */
  #awaiting: string | null = null;
  /** What was proposed last: the next compaction of its session ends it. */
  #proposed: { sessionId: string; compactionId: string } | null = null;

  sessionId(random: SeededRandom): string {
    return `fuzz-${random.int(0, SESSIONS - 1)}`;
  }

  /** A session that a packet is posted to: mostly one that waits for it. */
  packetSessionId(random: SeededRandom): string {
    const any = this.sessionId(random);
    return this.#awaiting !== null && random.chance(0.7) ? this.#awaiting : any;
  }

  /** A proposal that may still be open, mostly; null when any compaction is to be named. */
  proposal(random: SeededRandom) {
    return random.chance(0.7) ? this.#proposed : null;
  }

  /**
   * All of them, with the settings that they are created with; every other one without a model, and
   * half of them watched.
   */
  sessions() {
    return Array.from({ length: SESSIONS }, (_, index) => ({
      id: `fuzz-${index}`,
      format: formatAt(index),
      context_window: WINDOWS[Math.floor(index / FORMATS.length) % WINDOWS.length] ?? 8_000,
      config: {
        ...(index % 2 === 0 ? { summarization_model: 'extractive' } : {}),
        ...(index % 4 < 2 ? {} : WATCHED),
      },
    }));
  }

  /** The format that this session has unless it was erased and created anew. */
  formatOf(sessionId: string): Format {
    return formatAt(Number(sessionId.replace('fuzz-', '')));
  }

  /** A compaction of this session, the newest one more often than not; or one of another session. */
  compactionId(sessionId: string, random: SeededRandom): string {
    const own = this.#compactions.get(sessionId) ?? [];
    const known = random.chance(0.95) ? own : [...this.#compactions.values()].flat();
    if (known.length === 0) return 'none-yet';
    return random.chance(0.6) ? (known[0] ?? '') : random.pick(known);
  }

  /** The newest pin of this session, which may be gone. */
  pinId(sessionId: string): string {
    return this.#pins.get(sessionId) ?? 'none-yet';
  }

  /** A session that has had a pin, mostly. */
  pinnedSessionId(random: SeededRandom): string {
    const pinned = [...this.#pins.keys()];
    return pinned.length > 0 && random.chance(0.8) ? random.pick(pinned) : this.sessionId(random);
  }

  /** Remembers the pin that an answer names. */
  learnPin(target: string, body: Json): void {
    const sessionId = /^\/sessions\/([^/?]+)\/pins/.exec(target)?.[1];
    const pin =
      isJsonObject(body) && isJsonObject(body.pin) ? stringField(body.pin, 'id') : undefined;
    if (sessionId !== undefined && pin !== undefined) this.#pins.set(sessionId, pin);
  }

  /** Remembers the compaction or proposal that an answer names, and the session that waits for a packet. */
  learn(body: Json, isProposal: boolean): void {
    if (!isJsonObject(body)) return;
    const sessionId = stringField(body, 'session_id');
    if (sessionId !== undefined && isJsonObject(body.packet) && 'deadline' in body.packet) {
      this.#awaiting = sessionId;
    }
    const named = isJsonObject(body.compaction) ? body.compaction : body;
    const id = stringField(named, 'id');
    if (sessionId === undefined || id === undefined || !('trigger' in named)) return;
    if (isProposal) {
      this.#proposed = { sessionId, compactionId: id };
    }
    const others = (this.#compactions.get(sessionId) ?? []).filter((other) => other !== id);
    this.#compactions.set(sessionId, [id, ...others].slice(0, REMEMBERED_PER_SESSION));
  }
}

function formatAt(index: number): Format {
  return FORMATS[index % FORMATS.length] ?? 'anthropic';
}
