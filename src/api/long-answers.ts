import { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import PQueue from 'p-queue';

/** Answers of one tenant that are made at a time: each holds a context, or a page of the log. */
const AT_A_TIME = 2;
/** What the clients of one tenant may leave unread before the next answer is made, in characters. */
const MOST_UNREAD = 64_000_000;
/** A client that takes nothing for so long has to make room for others, in milliseconds. */
const PATIENCE_MS = 1_000;
const LOOK_MS = 100;
/** A shorter text goes out in one piece, a longer one in pieces of this size, in characters. */
const PIECE = 262_144;

/** A text that is on its way to a client. */
type Unread = { left: number; taken_ms: number; cut: () => void };

class Tenant {
  readonly queue = new PQueue({ concurrency: AT_A_TIME });
  readonly unread = new Set<Unread>();

  get isIdle(): boolean {
    return this.queue.pending === 0 && this.queue.size === 0 && this.unread.size === 0;
  }

  /** Waits until clients have read enough; those that read nothing are cut off, one after the other. */
  async room(): Promise<void> {
    for (;;) {
      const all = [...this.unread];
      if (all.reduce((sum, { left }) => sum + left, 0) <= MOST_UNREAD) return;
      const [slowest] = all.sort((a, b) => a.taken_ms - b.taken_ms);
      if (slowest !== undefined && performance.now() - slowest.taken_ms > PATIENCE_MS) {
        this.unread.delete(slowest);
        slowest.cut();
      } else {
        await sleep(LOOK_MS);
      }
    }
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
        const text = JSON.stringify(await make());
        const type = { 'Content-Type': 'application/json', ...headers };
        if (text.length <= PIECE) return c.body(text, 200, type);
        const length = { 'Content-Length': String(Buffer.byteLength(text)) };
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
  const encoder = new TextEncoder();
  let rest = text;
  const own: Unread = { left: text.length, taken_ms: performance.now(), cut: () => {} };
  const end = () => {
    rest = '';
    unread.delete(own);
    onEnd();
  };
  unread.add(own);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        own.cut = () => {
          end();
          if (outgoing instanceof ServerResponse) outgoing.destroy();
          else controller.error(new Error('the answer was not read'));
        };
      },
      pull: async (controller) => {
        await nextTurn();
        // Cut off meanwhile.
        if (!unread.has(own)) return;
        const piece = firstPiece(rest);
        controller.enqueue(encoder.encode(piece));
        rest = rest.slice(piece.length);
        own.left = rest.length;
        own.taken_ms = performance.now();
        if (rest !== '') return;
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** A character of two units stays whole. */
function firstPiece(text: string): string {
  const isCutInside = /[\uD800-\uDBFF]/.test(text.charAt(PIECE - 1));
  return text.slice(0, isCutInside ? PIECE + 1 : PIECE);
}
