import { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';

/** Answers of one tenant that are made at a time: each holds a context, or a page of the log. */
const AT_A_TIME = 2;
/** Looks at the log for its streams: each holds a page, or one large event. */
const LOOKS_AT_A_TIME = 4;
/** What the clients of one tenant may leave unread before the next answer is made, in bytes. */
const MOST_UNREAD = 64_000_000;
const LOOK_MS = 100;
/**
 * A client that takes nothing for so long has to make room for the answers that wait, in milliseconds,
 * divided by how many these are. What a slow one takes shows only now and then: the system hands on
 * megabytes before it asks for more.
 */
const PATIENCE_MS = 60_000;
const LEAST_PATIENCE_MS = 1_000;
const MOST_PATIENCE_MS = 15_000;

/** Something on its way to a client; `seen` is what was left when it was last looked at. */
type Unread = { left: number; seen: number; idle_ms: number; cut: () => void };

/** What is held for one client: `left` bytes of it. `isCut`: it has to make room for others. */
export type Held = { left: (bytes: number) => void; end: () => void; readonly isCut: boolean };

/** Where the streams of a tenant read the log, and hold what their clients have not read. */
export type StreamRoom = {
  /** Runs a look at the log when it is its turn, and there is room for what it finds. */
  read: <T>(look: () => Promise<T>) => Promise<T>;
  hold: (bytes: number) => Held;
};

class TenantRoom {
  readonly answers = new PQueue({ concurrency: AT_A_TIME });
  readonly looks = new PQueue({ concurrency: LOOKS_AT_A_TIME });
  readonly #unread = new Set<Unread>();
  #looked_ms = 0;

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#unread.size === 0;
  }

  get #waiting(): number {
    const { answers, looks } = this;
    return answers.size + answers.pending + looks.size + looks.pending;
  }

  hold(bytes: number, outgoing: unknown, onEnd: () => void): Held {
    let isCut = false;
    const end = () => {
      if (this.#unread.delete(own)) onEnd();
    };
    const cut = () => {
      isCut = true;
      end();
      if (outgoing instanceof ServerResponse) outgoing.destroy();
    };
    const own: Unread = { left: bytes, seen: bytes, idle_ms: 0, cut };
    this.#unread.add(own);
    const left = (now: number) => {
      own.left = now;
    };
    return {
      left,
      end,
      get isCut() {
        return isCut;
      },
    };
  }

  /** Waits until clients have read enough; those that read nothing are cut off, one after the other. */
  async room(): Promise<void> {
    while ([...this.#unread].reduce((sum, { left }) => sum + left, 0) > MOST_UNREAD) {
      this.#look();
      await sleep(LOOK_MS);
    }
  }

  /** Sees who has taken something since the last look, and cuts off at most one who has not. */
  #look(): void {
    const now = performance.now();
    const passed = now - this.#looked_ms;
    // Several wait at a time, and look.
    if (passed < LOOK_MS / 2) return;
    this.#looked_ms = now;
    for (const one of this.#unread) {
      // While the process was held up nobody could take anything.
      one.idle_ms = one.left < one.seen ? 0 : one.idle_ms + Math.min(passed, 2 * LOOK_MS);
      one.seen = one.left;
    }
    const [slowest] = [...this.#unread].sort((a, b) => b.idle_ms - a.idle_ms);
    if (slowest === undefined || slowest.idle_ms <= this.#patience()) return;
    slowest.cut();
  }

  #patience(): number {
    const waiting = Math.max(1, this.#waiting);
    return Math.min(MOST_PATIENCE_MS, Math.max(LEAST_PATIENCE_MS, PATIENCE_MS / waiting));
  }
}

/**
 * Bounds what the answers and streams of each tenant take: they are made a few at a time, and none while
 * its clients leave too much unread. Whoever asks for hundreds at once, and does not read, holds up only
 * clients of its own.
 */
export class TenantRooms {
  readonly #tenants = new Map<string, TenantRoom>();

  /** Makes an answer when it is its turn, and there is room for it. */
  answer<T>(tenant: string, make: () => Promise<T>): Promise<T> {
    return this.#inTurn(tenant, 'answers', make);
  }

  hold(tenant: string, bytes: number, outgoing: unknown): Held {
    return this.#of(tenant).hold(bytes, outgoing, () => this.#forget(tenant));
  }

  forStreams(tenant: string, outgoing: unknown): StreamRoom {
    return {
      read: (look) => this.#inTurn(tenant, 'looks', look),
      hold: (bytes) => this.hold(tenant, bytes, outgoing),
    };
  }

  async #inTurn<T>(name: string, kind: 'answers' | 'looks', run: () => Promise<T>): Promise<T> {
    const tenant = this.#of(name);
    try {
      return await tenant[kind].add(async () => {
        await tenant.room();
        return run();
      });
    } finally {
      this.#forget(name);
    }
  }

  #of(name: string): TenantRoom {
    const tenant = this.#tenants.get(name) ?? new TenantRoom();
    this.#tenants.set(name, tenant);
    return tenant;
  }

  #forget(name: string): void {
    if (this.#tenants.get(name)?.isIdle) this.#tenants.delete(name);
  }
}
