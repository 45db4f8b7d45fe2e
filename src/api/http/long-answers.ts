import { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import PQueue from 'p-queue';
import { type Elsewhere, type SentAnswer, sentRequest } from './elsewhere.ts';
import { CHUNK_BYTES, textStream } from './text-stream.ts';

/** Answers of one tenant that are made at a time: each holds a context, or a page of the log. */
const AT_A_TIME = 2;
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
/** An answer that is on its way to a client; `seen` is what was left when it was last looked at. */
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

type LongCall = { c: Context; tenant: string };

/** Answers with what `make` resolves to, as JSON, when it is the turn of this call. */
export type LongAnswer = (
  call: LongCall,
  make: () => Promise<object>,
  headers?: Record<string, string>,
) => Promise<Response>;

/** Answers in another thread; what is read comes when it is the turn of this call. */
export type PassOn = (
  call: LongCall,
  method: 'get' | 'post' | 'patch' | 'delete',
) => Promise<Response>;

/**
 * Bounds the memory of answers that may be long, tenant by tenant: they are made two at a time, in
 * their order, and none while the clients of the tenant leave too much unread. Whoever asks for
 * hundreds at once, and does not read, holds up only clients of its own.
 */
export function longAnswers(elsewhere?: Elsewhere): {
  longAnswer: LongAnswer;
  passOn: PassOn | null;
} {
  const tenants = new Map<string, Tenant>();
  const inTurn = async ({ c, tenant: name }: LongCall, make: () => Promise<SentAnswer>) => {
    const tenant = tenants.get(name) ?? new Tenant();
    tenants.set(name, tenant);
    const forget = () => {
      if (tenant.isIdle) tenants.delete(name);
    };
    try {
      return await tenant.queue.add(async () => {
        await tenant.room();
        const { status, headers, body } = await make();
        // A longer one goes out piece by piece.
        if (body.length <= CHUNK_BYTES) return c.newResponse(bodyOf(body), status, headers);
        const long = { ...headers, 'Content-Length': String(body.length) };
        // Nobody would read the body of this answer, nor cancel it.
        if (c.req.method === 'HEAD') return c.newResponse(null, status, long);
        const pieces = inPieces(body, tenant.unread, c.env?.outgoing, forget);
        return c.newResponse(pieces, status, long);
      });
    } finally {
      forget();
    }
  };
  const longAnswer: LongAnswer = (call, make, headers = {}) =>
    inTurn(call, async () => {
      const made = await make();
      // Making a long answer and writing it each take their time: others come in between.
      await nextTurn();
      const body = encoder.encode(JSON.stringify(made));
      return { status: 200, headers: { 'Content-Type': 'application/json', ...headers }, body };
    });
  if (elsewhere === undefined) return { longAnswer, passOn: null };
  const passOn: PassOn = async (call, method) => {
    const { raw } = call.c.req;
    const make = () => elsewhere(sentRequest(raw, method.toUpperCase()), raw.signal, call.tenant);
    if (method === 'get') return inTurn(call, make);
    const { status, headers, body } = await make();
    return call.c.newResponse(bodyOf(body), status, headers);
  };
  return { longAnswer, passOn };
}

const encoder = new TextEncoder();

/** Statuses such as 204 and 304 take no body, not even an empty one. */
function bodyOf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  return bytes.length === 0 ? null : bytes;
}

/** The bytes as a body of which the client takes one piece after the other. */
function inPieces(
  bytes: Uint8Array<ArrayBuffer>,
  unread: Set<Unread>,
  outgoing: unknown,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let rest = bytes;
  const end = () => {
    rest = new Uint8Array();
    unread.delete(own);
    onEnd();
  };
  const cut = () => {
    end();
    if (outgoing instanceof ServerResponse) outgoing.destroy();
  };
  const own: Unread = { left: bytes.length, seen: bytes.length, idle_ms: 0, cut };
  unread.add(own);
  const next = async () => {
    if (!unread.has(own)) throw new Error('the answer was not read');
    if (rest.length === 0) return null;
    const piece = rest.subarray(0, CHUNK_BYTES);
    rest = rest.subarray(CHUNK_BYTES);
    own.left = rest.length;
    return piece;
  };
  return textStream(next, end);
}
