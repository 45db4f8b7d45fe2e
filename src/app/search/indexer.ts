import { setTimeout as sleep } from 'node:timers/promises';
import { Bell } from '../bell.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { SearchableStore } from '../ports/search-index.ts';
import { sessionKey } from '../session-key.ts';
import { newDocuments, nextEvents, nextWrite, type Readable } from './new-documents.ts';

/** What is appended within so many milliseconds is indexed together. */
const GATHER_MS = 150;
/** While others append, the indexer rests so many times as long as it has worked. */
const REST = 5;
/** Commits of other processes may not have been heard of: all sessions are looked at this often. */
const SWEEP_MS = 60_000;
const SESSIONS_AT_A_TIME = 200;
const AFTER_ERROR_MS = 1_000;
/** Sessions that are remembered to wait; where there are more, a look at all of them finds the others. */
const MOST_WAITING = 10_000;
/** What is larger is read and taken apart in another thread, where there is one. */
const MOST_HERE: Readable = { bytes: 1_000_000, values: 20_000 };

/** Indexes the next events of a session in another thread; whether there are more. */
type AdvanceElsewhere = (ref: SessionRef) => Promise<boolean>;

/**
 * Writes the search index behind the appends: it hears of commits, waits for more of them, and reads
 * what came from the log. What a process forgets when it ends, the next one finds by looking at all
 * sessions. Several processes may do so at once; the index takes each range from one of them.
 */
export class Indexer {
  readonly #store: SearchableStore;
  readonly #onError: (error: unknown) => void;
  readonly #elsewhere: AdvanceElsewhere | null;
  readonly #waiting = new Map<string, { ref: SessionRef; since: number }>();
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #bell = new Bell();
  readonly #stopping = new AbortController();
  #stopHearing: (() => void) | null = null;
  #worker: Promise<void> | null = null;
  #heard = 0;
  /** Where the look at all sessions goes on; null: it is done for now. */
  #sweptTo: number | null = 0;
  #sweptAt = 0;

  constructor(
    store: SearchableStore,
    onError: (error: unknown) => void,
    elsewhere: AdvanceElsewhere | null = null,
  ) {
    this.#store = store;
    this.#onError = onError;
    this.#elsewhere = elsewhere;
  }

  /** Begins to follow the log. */
  start(): void {
    this.#stopHearing = this.#store.hear((ref) => {
      this.#heard += 1;
      this.#wait(ref);
      this.#bell.ring();
    });
    this.#worker = this.#work();
  }

  /** Answers when what is under way is written. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopHearing?.();
    this.#bell.ring();
    await this.#worker;
    await Promise.allSettled(this.#running.values());
  }

  /**
   * Indexes what the session held when this was called. False when that is not done by then
   * (`performance.now()`).
   */
  async catchUp(ref: SessionRef, until: number): Promise<boolean> {
    let wanted: number | null = null;
    for (;;) {
      const position = await this.#store.search.position(ref);
      wanted ??= position?.version ?? 0;
      if (position === null || position.indexed >= wanted) return true;
      if (performance.now() > until) return false;
      await this.advance(ref);
    }
  }

  /** The sessions that wait to be indexed, and for how long (ms) the first of them has. */
  waiting(): { sessions: number; ms: number } {
    const [first] = this.#waiting.values();
    const ms = first === undefined ? 0 : performance.now() - first.since;
    return { sessions: this.#waiting.size, ms };
  }

  #wait(ref: SessionRef): void {
    const key = sessionKey(ref);
    if (this.#waiting.has(key)) return;
    if (this.#waiting.size < MOST_WAITING)
      this.#waiting.set(key, { ref, since: performance.now() });
    else this.#sweptTo = 0;
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const refs = await this.#next();
        const heard = this.#heard;
        const started = performance.now();
        let failed = 0;
        for (const ref of refs) {
          if (this.#stopping.signal.aborted) return;
          try {
            if (await this.advance(ref)) this.#wait(ref);
          } catch (error) {
            // The thread that was at it has ended; the next process goes on there.
            if (this.#stopping.signal.aborted) return;
            // One that is damaged holds up no other; it is tried again when all are looked at.
            this.#onError(error);
            failed += 1;
          }
        }
        if (failed > 0 && failed === refs.length) await this.#rest(AFTER_ERROR_MS);
        const worked = performance.now() - started;
        const isBusy = this.#heard > heard;
        if (refs.length > 0 || isBusy) await this.#rest(isBusy ? worked * REST : 0);
      } catch (error) {
        this.#onError(error);
        await this.#rest(AFTER_ERROR_MS);
      }
    }
  }

  /** Waits, and is not woken by commits: those are waited for. */
  async #rest(ms: number): Promise<void> {
    await sleep(Math.max(1, ms), undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  /** What is to be indexed next: what was heard of, else what a look at all sessions finds. */
  async #next(): Promise<SessionRef[]> {
    if (this.#waiting.size === 0 && this.#sweptTo === null) {
      await this.#bell.wait(SWEEP_MS);
      if (performance.now() - this.#sweptAt > SWEEP_MS) this.#sweptTo = 0;
      else await this.#rest(GATHER_MS);
    }
    if (this.#waiting.size === 0 && this.#sweptTo !== null) {
      const page = await this.#store.search.behind(null, this.#sweptTo, SESSIONS_AT_A_TIME);
      this.#sweptTo = page.next;
      this.#sweptAt = performance.now();
      return page.data;
    }
    const [first] = this.#waiting;
    if (first === undefined) return [];
    this.#waiting.delete(first[0]);
    return [first[1].ref];
  }

  /** Indexes the next events of a session; whether there are more. One at a time for each session. */
  advance(ref: SessionRef): Promise<boolean> {
    const key = sessionKey(ref);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = this.#indexWhereItCan(ref).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #indexWhereItCan(ref: SessionRef): Promise<boolean> {
    if (this.#elsewhere === null) return this.#indexNext(ref, undefined);
    try {
      return await this.#indexNext(ref, MOST_HERE);
    } catch (error) {
      if (error instanceof ElsewhereError) return this.#elsewhere(ref);
      throw error;
    }
  }

  /** Throws ElsewhereError, with nothing written, when there is a larger event among them. */
  async #indexNext(ref: SessionRef, most: Readable | undefined): Promise<boolean> {
    const { search } = this.#store;
    const position = await search.position(ref);
    if (position === null || position.indexed >= position.version) return false;
    const { format, indexed, version } = position;
    const { events, to } = await nextEvents(this.#store, ref, {
      after: indexed,
      up_to: version,
      most,
    });
    const before = position.documents - position.begun;
    const documents = await newDocuments(search, ref, events, format, before);
    for (let { begun } = position; ; ) {
      const some = nextWrite(documents, begun);
      const isLast = begun + some.length >= documents.length;
      const written = await search.write(ref, { indexed, begun }, isLast ? to : null, some);
      if (isLast || !written) return to < version;
      begun += some.length;
    }
  }
}
