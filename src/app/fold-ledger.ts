import { sumTokens, supersededSeqs, type View } from '../domain/context/view.ts';
import { codecFor, type Format } from '../domain/items/codecs.ts';
import { pairedParts } from '../domain/items/pairing.ts';
import { advanceLedger, type LedgerItem } from '../domain/ledger/advance.ts';
import { EMPTY_LEDGER, type Ledger } from '../domain/ledger/ledger.ts';
import { eventAt } from './event-at.ts';
import { READ_BYTES } from './event-page.ts';
import { eventPages } from './event-pages.ts';
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
 * were compacted by their client or by version 0.1, which stored none.
 */
export async function foldLedger(
  store: EventStore,
  ref: SessionRef,
  format: Format,
  through: number,
): Promise<Ledger> {
  const codec = codecFor(format);
  const superseded = await supersededItems(store, ref);
  let ledger = await firstLedger(store, ref);
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

async function supersededItems(store: EventStore, ref: SessionRef): Promise<Set<number>> {
  return supersededSeqs(await store.events(ref, { types: ['item.superseded'] }));
}

/** A fork begins with what its parent's log says. */
async function firstLedger(store: EventStore, ref: SessionRef): Promise<Ledger> {
  const event = await eventAt(store, ref, 2);
  return (event?.type === 'session.forked' && event.data.ledger) || EMPTY_LEDGER;
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
