import { codecFor, type Format } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import { isSameJson } from '../json.ts';
import { advanceLedger } from '../ledger/advance.ts';
import { EMPTY_LEDGER, type Ledger } from '../ledger/ledger.ts';
import type { EventOf, SessionEvent } from '../session/events.ts';

type Stored = { through: number; ledger: Ledger | null };
type Logged = { seq: number; item: Item };

/**
 * Folds the ledgers of a session anew and compares them with those that its compactions have stored.
 * Events are added in their order. It holds the items of the live context and of the one before: a
 * ledger that goes back further, as after several reverts, is taken as it is.
 */
export class LedgerCheck {
  private format: Format = 'anthropic';
  private items: Logged[] = [];
  private held = 0;
  private readonly superseded = new Set<number>();
  /** By the version of the event that each stands in; 0: before any compaction. */
  private readonly stored = new Map<number, Stored>([[0, { through: 0, ledger: EMPTY_LEDGER }]]);

  /** Whether the ledger of this event, if it has one, is what the log says. */
  add(event: SessionEvent): boolean {
    switch (event.type) {
      case 'session.created':
        this.format = event.data.format;
        return true;
      case 'session.forked': {
        const { ledger, entries } = event.data;
        // Of another release, its parent's log says it: what is built on that is taken as it is.
        const inherited = ledger ?? (entries.length === 0 ? EMPTY_LEDGER : null);
        this.stored.set(event.version, { through: event.version, ledger: inherited });
        return true;
      }
      case 'item.appended':
        if (event.data.excluded === undefined) {
          this.items.push({ seq: event.version, item: event.data.item });
        }
        return true;
      case 'item.superseded':
        for (const { seq } of event.data.items) this.superseded.add(seq);
        return true;
      case 'compaction.completed':
        return this.completed(event);
      default:
        return true;
    }
  }

  private completed({ version, data }: EventOf<'compaction.completed'>): boolean {
    const { previous, through, ledger = null } = data;
    const base = this.stored.get(previous?.version ?? 0);
    const from = base === undefined || base.through < this.held ? null : base;
    const folded =
      ledger === null || from === null || from.ledger === null
        ? ledger
        : this.foldedAs(ledger, from.ledger, from.through, through);
    // What is known of its facts is known of the folded one.
    this.stored.set(version, { through, ledger: folded ?? ledger });
    const oldest = base?.through ?? previous?.through ?? this.held;
    this.items = this.items.filter(({ seq }) => seq > oldest);
    this.held = Math.max(this.held, oldest);
    return folded !== null || ledger === null;
  }

  /** The ledger as the log says it; null when it says another one. */
  private foldedAs(ledger: Ledger, from: Ledger, after: number, through: number): Ledger | null {
    const all = this.items.filter(({ seq }) => seq > after && seq <= through);
    const still = all.filter(({ seq }) => !this.superseded.has(seq));
    const folded = this.folded(from, still);
    if (isSame(ledger, folded)) return { ...folded, epochs: ledger.epochs };
    // What was superseded while the compaction was under way may have been covered by it.
    if (still.length === all.length) return null;
    const whole = this.folded(from, all);
    return isSame(ledger, whole) ? { ...whole, epochs: ledger.epochs } : null;
  }

  private folded(ledger: Ledger, items: readonly Logged[]): Ledger {
    const codec = codecFor(this.format);
    return advanceLedger(
      ledger,
      items.map(({ seq, item }) => ({ seq, item: codec.normalise(item) })),
    );
  }
}

/** All but the epoch that the compaction itself has closed, which names it and the time. */
function isSame(stored: Ledger, folded: Ledger): boolean {
  const { epochs } = stored;
  return isSameJson({ ...stored, epochs: epochs.slice(0, -1) }, folded);
}
