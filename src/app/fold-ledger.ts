import { sumTokens, supersededSeqs, type View } from '../domain/context/view.ts';
import { codecFor, type Format } from '../domain/items/codecs.ts';
import { pairedParts } from '../domain/items/pairing.ts';
import { advanceLedger, type LedgerItem } from '../domain/ledger/advance.ts';
import { inheritedLedger } from '../domain/ledger/inherit.ts';
import { EMPTY_LEDGER, type Ledger } from '../domain/ledger/ledger.ts';
import { eventAt } from './event-at.ts';
import { READ_BYTES } from './event-page.ts';
import { eventPages } from './event-pages.ts';
import { FORKED, forkedFrom } from './forked-from.ts';
import { baseAt } from './load-view.ts';
import { lostSession } from './ports/archive.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

const EVENTS_PER_READ = 200;
/** Folding takes some 20 milliseconds for so many tokens. */
const MOST_TOKENS_HERE = 20_000;

/**
 * Throws ElsewhereError for a context whose ledger would hold up the thread that answers all requests.
 * Nothing may be written before.
 */
export function foldHere({ largestHere }: Pick<Ports, 'largestHere'>, { entries }: View): void {
  if (largestHere !== undefined && sumTokens(entries) > MOST_TOKENS_HERE)
    throw new ElsewhereError();
}

/**
 * Folds the ledger of a session from the items of its log up to one, page by page: for contexts that
 * were compacted by their client, or by a release that stored none or one of other rules.
 */
export function foldLedger(
  store: EventStore,
  ref: SessionRef,
  format: Format,
  through: number,
): Promise<Ledger> {
  return foldFrom(store, { ref, through, at: Number.MAX_SAFE_INTEGER }, format, new Set());
}

/** The items to fold: up to one of them, as the log had them at a version. */
type Range = { ref: SessionRef; through: number; at: number };

/** `forks`: those that ask for what this one has known. */
async function foldFrom(
  store: EventStore,
  { ref, through, at }: Range,
  format: Format,
  forks: Set<string>,
): Promise<Ledger> {
  const codec = codecFor(format);
  const superseded = await supersededItems(store, ref, at);
  let ledger = await firstLedger(store, ref, format, forks);
  let waiting: LedgerItem[] = [];
  const query = {
    types: ['item.appended'] as const,
    up_to: through,
    limit: EVENTS_PER_READ,
    max_bytes: READ_BYTES,
  };
  for await (const page of eventPages(store, ref, query)) {
    for (const event of page) {
      if (event.type !== 'item.appended' || event.data.excluded !== undefined) continue;
      if (superseded.has(event.version)) continue;
      waiting.push({ seq: event.version, item: codec.normalise(event.data.item) });
    }
    const end = wholeTurns(waiting);
    ledger = advanceLedger(ledger, waiting.slice(0, end));
    waiting = waiting.slice(end);
  }
  return advanceLedger(ledger, waiting);
}

async function supersededItems(
  store: EventStore,
  ref: SessionRef,
  at: number,
): Promise<Set<number>> {
  return supersededSeqs(await store.events(ref, { types: ['item.superseded'], up_to: at }));
}

/** A fork begins with what its parent's log says, which is read again where the fork has no ledger of it. */
async function firstLedger(
  store: EventStore,
  ref: SessionRef,
  format: Format,
  forks: Set<string>,
): Promise<Ledger> {
  const forked = await eventAt(store, ref, FORKED);
  if (forked?.type !== 'session.forked') return EMPTY_LEDGER;
  const { ledger, entries, parent_version: at } = forked.data;
  if (ledger !== undefined) return ledger;
  // Where nothing was compacted, all was copied. Two sessions can be each other's parents by a clock set back.
  if (entries.length === 0 || forks.has(ref.session_id)) return EMPTY_LEDGER;
  forks.add(ref.session_id);
  const parent = await forkedFrom(store, ref, forked);
  const known = parent && (await knownAt(store, parent, at, format, forks).catch(ofLost));
  return parent && known ? inheritedLedger(known, parent.session_id) : EMPTY_LEDGER;
}

/** What the archive has lost says nothing any more: else its forks could never be compacted again. */
function ofLost(error: unknown): null {
  if (lostSession(error) === null) throw error;
  return null;
}

/** What a session knew of the items before its context at a version; null where all of them stood there. */
async function knownAt(
  store: EventStore,
  parent: SessionRef,
  at: number,
  format: Format,
  forks: Set<string>,
): Promise<Ledger | null> {
  const base = await baseAt(store, parent, at);
  if (base === null) return null;
  const made = await eventAt(store, parent, base.version);
  const stored = made?.type === 'compaction.completed' ? made.data.ledger : undefined;
  const { through } = base;
  return stored ?? foldFrom(store, { ref: parent, through, at }, format, forks);
}

/** How many of the items can be folded so that no call is parted from a result that may still come. */
function wholeTurns(items: readonly LedgerItem[]): number {
  const paired = pairedParts(items.map(({ item }) => item));
  let end = items.length;
  for (const { part, at, partner } of paired) {
    if (part.kind === 'tool_call' && partner === null) end = Math.min(end, at);
  }
  // A call that nobody ever answers holds back no more than a page.
  return items.length - end > 2 * EVENTS_PER_READ ? items.length : end;
}
