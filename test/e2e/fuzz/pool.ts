import { FORMATS, type Format } from '../../../src/domain/items/item.ts';
import { isJsonObject, type Json, stringField } from '../../../src/domain/json.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';

const SESSIONS = 18;
const REMEMBERED = 60;
const WINDOWS = [2_000, 8_000, 200_000];

/** Ids that requests use again and again, so that the sessions behind them reach deeper states. */
export class Pool {
  readonly #compactions: string[] = [];

  sessionId(random: SeededRandom): string {
    return `fuzz-${random.int(0, SESSIONS - 1)}`;
  }

  /** All of them, with the settings that they are created with; every other one without a model. */
  sessions() {
    return Array.from({ length: SESSIONS }, (_, index) => ({
      id: `fuzz-${index}`,
      format: formatAt(index),
      context_window: WINDOWS[Math.floor(index / FORMATS.length) % WINDOWS.length] ?? 8_000,
      config: index % 2 === 0 ? { summarization_model: 'extractive' } : {},
    }));
  }

  /** The format that this session has unless it was erased and created anew. */
  formatOf(sessionId: string): Format {
    return formatAt(Number(sessionId.replace('fuzz-', '')));
  }

  compactionId(random: SeededRandom): string {
    return this.#compactions.length === 0 ? 'none-yet' : random.pick(this.#compactions);
  }

  /** Remembers the compaction that an answer names; the newest ones only. */
  learn(body: Json): void {
    if (!isJsonObject(body)) return;
    const named = isJsonObject(body.compaction) ? body.compaction : body;
    const id = stringField(named, 'id');
    if (id === undefined || !('trigger' in named)) return;
    this.#compactions.push(id);
    if (this.#compactions.length > REMEMBERED) this.#compactions.shift();
  }
}

function formatAt(index: number): Format {
  return FORMATS[index % FORMATS.length] ?? 'anthropic';
}
