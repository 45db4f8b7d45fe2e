import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'hono';
import { type Elsewhere, type SentAnswer, sentRequest } from './elsewhere.ts';
import { type Held, type StreamRoom, TenantRooms } from './tenant-room.ts';
import { CHUNK_BYTES, textStream } from './text-stream.ts';

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

/** Runs what a tenant wants to read when it is its turn, and there is room for it. */
export type InTurn = <T>(tenant: string, run: () => Promise<T>) => Promise<T>;

/** Where the stream that answers this call reads, and holds what its client has not read. */
export type StreamRoomOf = (call: LongCall) => StreamRoom;

/** Bounds the memory of answers that may be long, and of streams, tenant by tenant: see `TenantRooms`. */
export function longAnswers(elsewhere?: Elsewhere): {
  longAnswer: LongAnswer;
  passOn: PassOn | null;
  streamRoom: StreamRoomOf;
  inTurn: InTurn;
} {
  const rooms = new TenantRooms();
  const streamRoom: StreamRoomOf = ({ c, tenant }) => rooms.forStreams(tenant, c.env?.outgoing);
  const inTurn: InTurn = (tenant, run) => rooms.answer(tenant, run);
  const answered = ({ c, tenant }: LongCall, make: () => Promise<SentAnswer>) =>
    inTurn(tenant, async () => {
      const { status, headers, body } = await make();
      // A longer one goes out piece by piece.
      if (body.length <= CHUNK_BYTES) return c.newResponse(bodyOf(body), status, headers);
      const long = { ...headers, 'Content-Length': String(body.length) };
      // Nobody would read the body of this answer, nor cancel it.
      if (c.req.method === 'HEAD') return c.newResponse(null, status, long);
      const held = rooms.hold(tenant, body.length, c.env?.outgoing);
      return c.newResponse(inPieces(body, held), status, long);
    });
  const longAnswer: LongAnswer = (call, make, headers = {}) =>
    answered(call, async () => {
      const made = await make();
      // Making a long answer and writing it each take their time: others come in between.
      await nextTurn();
      const body = encoder.encode(JSON.stringify(made));
      return { status: 200, headers: { 'Content-Type': 'application/json', ...headers }, body };
    });
  if (elsewhere === undefined) return { longAnswer, passOn: null, streamRoom, inTurn };
  const passOn: PassOn = async (call, method) => {
    const { raw } = call.c.req;
    const make = () => elsewhere(sentRequest(raw, method.toUpperCase()), raw.signal, call.tenant);
    if (method === 'get') return answered(call, make);
    const { status, headers, body } = await make();
    return call.c.newResponse(bodyOf(body), status, headers);
  };
  return { longAnswer, passOn, streamRoom, inTurn };
}

const encoder = new TextEncoder();

/** Statuses such as 204 and 304 take no body, not even an empty one. */
function bodyOf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  return bytes.length === 0 ? null : bytes;
}

/** The bytes as a body of which the client takes one piece after the other. */
function inPieces(bytes: Uint8Array<ArrayBuffer>, held: Held): ReadableStream<Uint8Array> {
  let whole: Uint8Array<ArrayBuffer> | null = bytes;
  const next = async () => {
    const all = whole;
    whole = null;
    return all;
  };
  const onEnd = () => {
    whole = null;
    held.end();
  };
  return textStream(next, { onEnd, hold: () => held });
}
