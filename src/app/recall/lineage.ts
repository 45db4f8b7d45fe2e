import { canonicalJson } from '../../domain/canonical-json.ts';
import { carriedKey, type Standings, standingsOf, takerOf } from '../../domain/context/standing.ts';
import {
  type Step,
  stepsOf,
  stepsOfCarried,
  stepsOfInherited,
  type TracedItem,
  tracedItem,
} from '../../domain/context/trace.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import type { SessionEvent } from '../../domain/session/events.ts';
import { contextChanges } from '../context-changes.ts';
import { eventAt } from '../event-at.ts';
import { READ_BYTES } from '../event-page.ts';
import { type ItemEvent, itemEvents } from '../event-pages.ts';
import type { EventStore, SessionRef } from '../ports/event-store.ts';
import { type SearchedSession, searchedSessions } from '../search/scopes.ts';

/** An item in the log of a session, counted from the one that is asked: 0 is that one, 1 its parent. */
export type Place = { level: number; event: ItemEvent };
/** A step, and in whose log it stands. */
type PlacedStep = Step & { session_id: string };

const EVENTS_PER_READ = 500;

/**
 * A session as it was at a version, with the pasts of those that it was forked from: where their items
 * stand, seen from it. A fork holds copies of what its parent had in its context.
 */
export class Lineage {
  readonly #store: EventStore;
  readonly #sessions: readonly SearchedSession[];
  readonly #changes = new Map<number, Promise<SessionEvent[]>>();
  readonly #copied = new Map<number, Promise<number[]>>();

  private constructor(store: EventStore, sessions: readonly SearchedSession[]) {
    this.#store = store;
    this.#sessions = sessions;
  }

  /** `at`: a version, by default the newest. Rejects: session_not_found, version_not_found. */
  static async open(store: EventStore, ref: SessionRef, at?: number): Promise<Outcome<Lineage>> {
    const found = await searchedSessions(store, ref);
    if (!found.ok) return found;
    const [own, ...parents] = found.value;
    if (own === undefined || at === undefined) return accept(new Lineage(store, found.value));
    if (at > own.at) {
      return reject(
        'version_not_found',
        `the session is at version ${own.at}: there is no version ${at} yet`,
      );
    }
    return accept(new Lineage(store, [{ ...own, at }, ...parents]));
  }

  /** Of the session that is asked. */
  get version(): number {
    return this.#at(0).at;
  }

  get levels(): number {
    return this.#sessions.length;
  }

  /** The last version of a session that belongs to the past. */
  end(level: number): number {
    return this.#at(level).at;
  }

  ref(level: number): SessionRef {
    return this.#at(level).ref;
  }

  levelOf(session_id: string): number | null {
    const level = this.#sessions.findIndex(({ ref }) => ref.session_id === session_id);
    return level < 0 ? null : level;
  }

  async standings(level: number): Promise<Standings> {
    return standingsOf(await this.changes(level));
  }

  /** The events of a session that change its context. */
  changes(level: number): Promise<SessionEvent[]> {
    const { ref, at } = this.#at(level);
    return known(this.#changes, level, () => contextChanges(this.#store, ref, at));
  }

  /** Where an item stands now; a copy in a fork stands for it from there on. */
  async stand(place: Place): Promise<TracedItem & { place: Place }> {
    const traced = tracedItem(await this.standings(place.level), place.event);
    const isLive = traced.state === 'in_context' || traced.state === 'cleared';
    if (!isLive || place.level === 0) return { ...traced, place };
    const copy = await this.#copyOf(place);
    if (copy !== null) return this.stand(copy);
    return { ...traced, ...(await this.#withoutCopy(place)), place };
  }

  /** What stood in the context where it was forked, and of which this session has no copy. */
  async #withoutCopy({ level, event }: Place): Promise<Partial<TracedItem>> {
    const { carried } = await this.standings(0);
    const pin_id = carried.get(carriedKey(this.ref(level).session_id, event.version)) ?? null;
    // Compactions had covered it before: it stands here as a pin.
    if (pin_id !== null) return { pin_id };
    const taker = takerOf((await this.standings(level)).chain, event.version);
    const gone = { is_verbatim: false, pin_id } as const;
    if (taker !== undefined) return { ...gone, state: 'summarised', compaction_id: taker.id };
    // A fork further down begins before the copy: its client has told another past.
    return { ...gone, state: 'superseded', compaction_id: null };
  }

  /** All that has happened to an item, from where it was first appended. */
  async history(asked: Place): Promise<PlacedStep[]> {
    const first = await this.#originOf(asked);
    const steps: PlacedStep[] = [];
    for (let place: Place | null = first; place !== null; ) {
      const { level, event }: Place = place;
      const own = stepsOf(await this.changes(level), event);
      const [appended, ...later] = own;
      const isCopy: boolean = level < first.level;
      if (appended !== undefined) {
        steps.push(this.#placed(isCopy ? { ...appended, what: 'forked' } : appended, level));
      }
      for (const step of later) steps.push(this.#placed(step, level));
      const { state } = tracedItem(await this.standings(level), event);
      const isLive = state === 'in_context' || state === 'cleared';
      place = isLive ? await this.#copyOf(place) : null;
      if (place !== null) continue;
      for (let below = level - 1; below >= 0; below--) {
        const changes = await this.changes(below);
        const later = isLive
          ? stepsOfCarried(changes, this.ref(level).session_id, event.version)
          : stepsOfInherited(changes);
        for (const step of state === 'summarised' || isLive ? later : []) {
          steps.push(this.#placed(step, below));
        }
      }
    }
    return steps;
  }

  #placed(step: Step, level: number): PlacedStep {
    return { ...step, session_id: this.ref(level).session_id };
  }

  #at(level: number): SearchedSession {
    const session = this.#sessions[level];
    if (session === undefined) throw new Error(`the session has no parent of level ${level}`);
    return session;
  }

  /** The copy of an item in the session that was forked from its own; null where there is none. */
  async #copyOf({ level, event }: Place): Promise<Place | null> {
    if (level === 0) return null;
    const index = (await this.#copies(level)).indexOf(event.version);
    const version = (await this.#forkedAt(level - 1)) + 1 + index;
    const { ref, at } = this.#at(level - 1);
    if (index < 0 || version > at) return null;
    const copy = await eventAt(this.#store, ref, version);
    return copy?.type === 'item.appended' ? { level: level - 1, event: copy } : null;
  }

  /** What an item is a copy of, as far back as the parents are still there. */
  async #originOf(place: Place): Promise<Place> {
    const { level, event } = place;
    if (level + 1 >= this.levels) return place;
    const index = event.version - (await this.#forkedAt(level)) - 1;
    const version = (await this.#copies(level + 1))[index];
    if (version === undefined) return place;
    const original = await eventAt(this.#store, this.ref(level + 1), version);
    if (original?.type !== 'item.appended') return place;
    // Another session may have taken the id of a parent that was erased.
    if (canonicalJson(original.data.item) !== canonicalJson(event.data.item)) return place;
    return this.#originOf({ level: level + 1, event: original });
  }

  async #forkedAt(level: number): Promise<number> {
    const [first] = await this.changes(level);
    return first?.type === 'session.forked' ? first.version : 0;
  }

  /** The items that a session had in its context when it was forked, in their order: all were copied. */
  #copies(level: number): Promise<number[]> {
    const { ref, up_to, at } = this.#at(level);
    return known(this.#copied, level, async () => {
      const { superseded } = await this.standings(level);
      const seqs: number[] = [];
      const query = { after: up_to, up_to: at, limit: EVENTS_PER_READ, max_bytes: READ_BYTES };
      for await (const { version, data } of itemEvents(this.#store, ref, query)) {
        if (data.excluded === undefined && !superseded.has(version)) seqs.push(version);
      }
      return seqs;
    });
  }
}

function known<T>(book: Map<number, Promise<T>>, level: number, read: () => Promise<T>) {
  const before = book.get(level);
  if (before !== undefined) return before;
  const reading = read();
  book.set(level, reading);
  return reading;
}
