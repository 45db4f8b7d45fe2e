import { hash } from 'node:crypto';
import { type Atom, atomsOf } from '../domain/items/atoms.ts';
import { codecFor, type Format } from '../domain/items/codecs.ts';
import { ClientTelling, isHidden } from '../domain/items/hidden-rounds.ts';
import type { Item } from '../domain/items/item.ts';
import { isInstructing, openingOf } from '../domain/items/leading-instructions.ts';
import type { Entry } from '../domain/session/entry.ts';
import type { EventType } from '../domain/session/events.ts';
import type { Instructed } from '../domain/session/known-by-openings.ts';
import { eventAt } from './event-at.ts';
import { eventPages } from './event-pages.ts';
import { FORKED, forkedFrom } from './forked-from.ts';
import { loadView } from './load-view.ts';
import type { EventStore, SessionRef, StoredEvent } from './ports/event-store.ts';

/** `place` is null for what a compaction by the client has put there, or the session began with. */
export type HistoryItem = Instructed & { place: { session_id: string; seq: number } | null };

const EVENTS_PER_READ = 2_000;
/** Of a page of events: it is read and taken apart in one go. */
const MOST_BYTES = 2_000_000;
const TYPES: readonly EventType[] = [
  'session.forked',
  'item.appended',
  'item.superseded',
  'compaction.observed',
];

/** A longer text is as well compared by its hash, which takes less memory. */
const LONGEST_TEXT = 128;

/** The pieces of an item in the form in which those of client and log are compared. */
export function comparedAtoms(format: Format, item: Item): Atom[] {
  return atomsOf(codecFor(format), item).map((atom) =>
    atom.text.length <= LONGEST_TEXT ? atom : { ...atom, text: hash('sha256', atom.text) },
  );
}

/**
 * What a session knows of the conversation, in its order, as a client would tell it that holds all of
 * it: what compactions of ours have taken out of the context stands there, and what has been superseded
 * does not. A fork knows what its parent knew. `from`: only items from this version on, which no
 * compaction by the client may follow.
 */
export async function loadHistory(
  store: EventStore,
  ref: SessionRef,
  { format, from = 0, up_to }: { format: Format; from?: number; up_to?: number },
): Promise<HistoryItem[]> {
  const own = { ref, from, up_to };
  if (from > 0) return historyOf(store, own, format, null);
  let inherited: HistoryItem[] | null = null;
  for (const { ref: parent, at } of await parentsOf(store, ref, up_to)) {
    const known = await historyOf(store, { ref: parent, from: 0, up_to: at }, format, inherited);
    inherited = await notCopied(store, parent, at, format, known);
  }
  return historyOf(store, own, format, inherited);
}

/**
 * The sessions that one was forked from, oldest first, each with the version that its fork begins at. Only
 * their names, so that a fork of a thousand forks takes no more memory than one.
 */
async function parentsOf(store: EventStore, ref: SessionRef, up_to?: number) {
  const parents: { ref: SessionRef; at: number }[] = [];
  const seen = new Set([ref.session_id]);
  for (let own = ref, last = up_to ?? FORKED; last >= FORKED; ) {
    const forked = await eventAt(store, own, FORKED);
    if (forked?.type !== 'session.forked') break;
    const parent = await forkedFrom(store, own, forked);
    // Its own parent it can be where a clock was set back, and an id was erased and taken again.
    if (parent === null || seen.has(parent.session_id)) break;
    seen.add(parent.session_id);
    last = forked.data.parent_version;
    parents.push({ ref: parent, at: last });
    own = parent;
  }
  return parents.reverse();
}

/** What a session knows itself, behind what it has inherited, null: only what its fork says of that. */
async function historyOf(
  store: EventStore,
  { ref, from, up_to }: { ref: SessionRef; from: number; up_to: number | undefined },
  format: Format,
  inherited: readonly HistoryItem[] | null,
): Promise<HistoryItem[]> {
  const history = new History(ref, format);
  if (from === 0) {
    const created = await eventAt(store, ref, 1);
    if (created?.type === 'session.created') history.begin(created.data.initial_context);
  }
  const query = {
    after: Math.max(0, from - 1),
    types: TYPES,
    limit: EVENTS_PER_READ,
    max_bytes: MOST_BYTES,
    ...(up_to !== undefined && { up_to }),
  };
  for await (const page of eventPages(store, ref, query)) {
    for (const event of page) {
      if (event.type === 'session.forked') history.begin(inherited ?? event.data.entries);
      else history.add(event);
    }
  }
  return history.items;
}

/**
 * What the parent of a fork knew and the fork does not hold itself. Null where the parent has gone: what
 * its compactions had made is all that is left then.
 */
async function notCopied(
  store: EventStore,
  parent: SessionRef,
  at: number,
  format: Format,
  known: readonly HistoryItem[],
): Promise<HistoryItem[] | null> {
  const view = await loadView(store, parent, at);
  if (view === null || view.format !== format) return null;
  const copied = new Set(
    view.entries.flatMap(({ seq, origin }) => (origin === 'log' ? (seq ?? []) : [])),
  );
  const isCopied = ({ place }: HistoryItem) =>
    place !== null && place.session_id === parent.session_id && copied.has(place.seq);
  return known.filter((item) => !isCopied(item));
}

class History {
  items: HistoryItem[] = [];
  readonly #ref: SessionRef;
  readonly #format: Format;
  readonly #telling: ClientTelling;

  constructor(ref: SessionRef, format: Format) {
    this.#ref = ref;
    this.#format = format;
    this.#telling = new ClientTelling(format);
  }

  /** Starts with these, in place of what was there. */
  begin(items: readonly (HistoryItem | Entry)[]): void {
    this.items = items.map((item) =>
      'atoms' in item ? item : { ...this.#told(item.item, item.origin !== 'log'), place: null },
    );
  }

  add(event: StoredEvent): void {
    switch (event.type) {
      case 'item.appended': {
        const { item, source, excluded } = event.data;
        const told = this.#told(item, source !== undefined || excluded !== undefined);
        const place = { session_id: this.#ref.session_id, seq: event.version };
        this.items.push({ ...told, isOurs: source !== undefined || isHidden(item), place });
        break;
      }
      case 'item.superseded': {
        const gone = new Set(event.data.items.map(({ seq }) => seq));
        const first = Math.min(...gone);
        // They stand near the end.
        const from = this.items.findLastIndex(({ place }) => (place?.seq ?? 0) < first) + 1;
        const rest = this.items.splice(from);
        this.items.push(...rest.filter(({ place }) => place === null || !gone.has(place.seq)));
        break;
      }
      case 'compaction.observed':
        // What the client then had, word for word, and what it has left of the log: its history from there on.
        this.items = [
          ...event.data.entries.map(({ item, seq }) => {
            const place = seq === null ? null : { session_id: this.#ref.session_id, seq };
            return { ...this.#told(item, false), place };
          }),
          ...this.items.filter(({ place }) => this.#isOwnAfter(place, event.data.through)),
        ];
        break;
      default:
    }
  }

  #isOwnAfter(place: HistoryItem['place'], through: number): boolean {
    return place?.session_id === this.#ref.session_id && place.seq > through;
  }

  /** `mayBeMissing`: the client may leave it out of its history, as it is not its own. */
  #told(item: Item, mayBeMissing: boolean): Instructed {
    const told = this.#telling.told(item);
    const atoms = comparedAtoms(this.#format, told ?? this.#telling.beside(item));
    const isOurs = mayBeMissing || told === null;
    const opening = isInstructing(item) ? openingOf(item) : null;
    const compared = isOurs ? atoms.map((atom) => ({ ...atom, isFirm: false })) : atoms;
    return { atoms: compared, isOurs, role: item.role, type: item.type, opening };
  }
}
