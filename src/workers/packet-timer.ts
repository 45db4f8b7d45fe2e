import type { EventStore, SessionRef } from '../app/ports/event-store.ts';
import { sessionKey } from '../app/session-key.ts';
import { timeOutPacket } from '../domain/session/packet-commands.ts';
import type { World } from '../domain/session/world.ts';
import { isStoreAway } from './compaction/commit-step.ts';
import type { CompactionJob } from './engines/job-engine.ts';

/** So many overdue sessions are taken in a round; the others follow in the next. */
const PAGE = 1_000;
/** The longest delay that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;

export type PacketTimerDependencies = {
  store: Pick<EventStore, 'commit' | 'due'>;
  world: World;
  dispatch: (job: CompactionJob) => void;
  now: () => Date;
  newId: () => string;
  onError: (error: unknown) => void;
};

/**
 * Ends the wait for packets that never came (SPEC section 12): those that this process has asked for
 * at their deadline, those of others and of before a restart in a round every `intervalMs`. Doing it
 * twice is harmless: the log takes the first.
 */
export class PacketTimer {
  readonly #deps: PacketTimerDependencies;
  /** By session: one waits for one packet at a time. */
  readonly #deadlines = new Map<string, { timer: NodeJS.Timeout; deadlineMs: number }>();
  readonly #underWay = new Set<Promise<void>>();
  #interval: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: PacketTimerDependencies) {
    this.#deps = deps;
  }

  /** Ends the wait of this session at its deadline; telling it again is harmless. */
  await(ref: SessionRef, deadlineMs: number): void {
    if (this.#isStopped) return;
    const session = sessionKey(ref);
    const known = this.#deadlines.get(session);
    if (known?.deadlineMs === deadlineMs) return;
    clearTimeout(known?.timer);
    const left = deadlineMs - this.#nowMs();
    const timer = setTimeout(
      () => {
        this.#deadlines.delete(session);
        // Timers are off by a millisecond now and then.
        if (this.#nowMs() < deadlineMs) this.await(ref, deadlineMs);
        else this.#track(this.#end(ref).catch(this.#deps.onError));
      },
      Math.min(Math.max(left, 0), LONGEST_MS),
    );
    timer.unref();
    this.#deadlines.set(session, { timer, deadlineMs });
  }

  /** Ends all waits that are overdue. Joins a round that is under way. */
  endOverdue(): Promise<void> {
    this.#round ??= this.#track(this.#endAll()).finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  start(intervalMs: number): void {
    this.#interval = setInterval(() => void this.endOverdue(), intervalMs);
    this.#interval.unref();
    void this.endOverdue();
  }

  /** Resolves when nothing of it uses the store any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#interval !== null) clearInterval(this.#interval);
    for (const { timer } of this.#deadlines.values()) clearTimeout(timer);
    this.#deadlines.clear();
    await Promise.all(this.#underWay);
  }

  async #endAll(): Promise<void> {
    const { store, onError } = this.#deps;
    try {
      for (const ref of await store.due(this.#nowMs(), PAGE)) {
        if (this.#isStopped) return;
        // One session with a damaged log must not keep the others waiting.
        await this.#end(ref).catch((error: unknown) => {
          if (isStoreAway(error)) throw error;
          onError(error);
        });
      }
    } catch (error) {
      onError(error);
    }
  }

  async #end(ref: SessionRef): Promise<void> {
    const { store, dispatch, newId } = this.#deps;
    const compaction_id = newId();
    const now = this.#deps.now();
    const command = timeOutPacket(this.#deps.world, { compaction_id, now_ms: now.getTime() });
    const outcome = await store.commit(ref, command, { at: now.toISOString() });
    // A rejection says that the session was erased.
    if (outcome.ok && outcome.value.value.applied) dispatch({ ref, compaction_id });
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
    return tracked;
  }

  #nowMs(): number {
    return this.#deps.now().getTime();
  }
}
