import { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import PQueue from 'p-queue';
import { textStream } from './text-stream.ts';

/** Answers of one tenant that are made at a time: each holds a context, or a page of the log. */
const AT_A_TIME = 2;
/** What the clients of one tenant may leave unread before the next answer is made, in characters. */
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
/** A shorter text goes out in one piece, a longer one in pieces of this size, in characters. */
const PIECE = 65_536;

/** A text that is on its way to a client; `seen` is what was left when it was last looked at. */
type Unread = { left: number; seen: number; idle_ms: number; cut: () => void };

class Tenant {
  readonly queue = new PQueue({ concurrency: AT_A_TIME });
  readonly unread = new Set<Unread>();
  #looked_ms = 0;

  get isIdle(): boolean {
    return this.queue.pending === 0 && this.queue.size === 0 && this.unread.size === 0;
  }

  /** Waits until clients have read enough; those that read nothing are cut off, one after the other. */
  async room(): Promise<void> {
    while ([...this.unread].reduce((sum, { left }) => sum + left, 0) > MOST_UNREAD) {
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
    for (const one of this.unread) {
      // While the process was held up nobody could take anything.
      one.idle_ms = one.left < one.seen ? 0 : one.idle_ms + Math.min(passed, 2 * LOOK_MS);
      one.seen = one.left;
    }
    const [slowest] = [...this.unread].sort((a, b) => b.idle_ms - a.idle_ms);
    if (slowest === undefined || slowest.idle_ms <= this.#patience()) return;
    this.unread.delete(slowest);
    slowest.cut();
  }

  #patience(): number {
    const waiting = Math.max(1, this.queue.size + this.queue.pending);
    return Math.min(MOST_PATIENCE_MS, Math.max(LEAST_PATIENCE_MS, PATIENCE_MS / waiting));
  }
}

/** Answers with what `make` resolves to, as JSON, when it is the turn of this call. */
export type LongAnswer = (
  call: { c: Context; tenant: string },
  make: () => Promise<object>,
  headers?: Record<string, string>,
) => Promise<Response>;

/**
 * Bounds the memory of answers that may be long, tenant by tenant: they are made two at a time, in
 * their order, and none while the clients of the tenant leave too much unread. Whoever asks for
 * hundreds at once, and does not read, holds up only clients of its own.
 */
export function longAnswers(): LongAnswer {
  const tenants = new Map<string, Tenant>();
  return async ({ c, tenant: name }, make, headers = {}) => {
    const tenant = tenants.get(name) ?? new Tenant();
    tenants.set(name, tenant);
    const forget = () => {
      if (tenant.isIdle) tenants.delete(name);
    };
    try {
      return await tenant.queue.add(async () => {
        await tenant.room();
        const made = await make();
        // Making a long answer and writing it each take their time: others come in between.
        await nextTurn();
        const text = JSON.stringify(made);
        const type = { 'Content-Type': 'application/json', ...headers };
        if (text.length <= PIECE) return c.body(text, 200, type);
        const length = { 'Content-Length': String(Buffer.byteLength(text)) };
        // Nobody would read the body of this answer, nor cancel it.
        if (c.req.method === 'HEAD') return c.body(null, 200, { ...type, ...length });
        return c.body(inPieces(text, tenant.unread, c.env?.outgoing, forget), 200, {
          ...type,
          ...length,
        });
      });
    } finally {
      forget();
    }
  };
}

/** The text as a body of which only the next piece is made while the client takes the one before. */
function inPieces(
  text: string,
  unread: Set<Unread>,
  outgoing: unknown,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let rest = text;
  const end = () => {
    rest = '';
    unread.delete(own);
    onEnd();
  };
  const cut = () => {
    end();
    if (outgoing instanceof ServerResponse) outgoing.destroy();
  };
  const own: Unread = { left: text.length, seen: text.length, idle_ms: 0, cut };
  unread.add(own);
  const next = async () => {
    if (!unread.has(own)) throw new Error('the answer was not read');
    if (rest === '') return null;
    const piece = firstPiece(rest);
    rest = rest.slice(piece.length);
    own.left = rest.length;
    return piece;
  };
  return textStream(next, end);
}

/** A character of two units stays whole. */
function firstPiece(text: string): string {
  const isCutInside = /[\uD800-\uDBFF]/.test(text.charAt(PIECE - 1));
  return text.slice(0, isCutInside ? PIECE + 1 : PIECE);
}
