import { isUtf8 } from 'node:buffer';
import { Readable, type Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import zlib from 'node:zlib';
import { type BodyRoom, ENOUGH } from '../http/body-room.ts';
import { joinedBytes } from '../http/joined-bytes.ts';
import { HAS_ZSTD } from './headers.ts';
import type { Passing } from './pass-on.ts';

/** What the gateway reads of a request, in bytes; a longer one passes through. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** A body that was read, or one that is not (`reason`): what came of it, and the rest. */
export type ReadBody =
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'long'; reason: 'body_too_large' | 'no_room'; stream: AsyncIterable<Uint8Array> };

/** Reads a body as far as it is read here, and as there is room. Rejects when the client breaks it off. */
export async function readBody(
  request: Request,
  { room, most = MOST_BYTES }: { room?: BodyRoom | undefined; most?: number } = {},
): Promise<ReadBody> {
  if (request.body === null) return { kind: 'whole', bytes: Buffer.alloc(0) };
  const reader = request.body.getReader();
  const told = Number(request.headers.get('content-length') ?? 0);
  const chunks: Uint8Array[] = [];
  if (told > most) {
    return { kind: 'long', reason: 'body_too_large', stream: goneOn(chunks, reader) };
  }
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { kind: 'whole', bytes: await joinedBytes(chunks) };
    chunks.push(value);
    size += value.byteLength;
    if (size > most || room?.holds(request, size, told) === false) {
      room?.leave(request);
      const reason = size > most ? 'body_too_large' : 'no_room';
      return { kind: 'long', reason, stream: goneOn(chunks, reader) };
    }
    // Whoever says that much and sends nothing takes no memory.
    if (size < told && size >= told * ENOUGH) {
      return readPromised(chunks, reader, told);
    }
  }
}

/** Puts the rest in its place as it comes: to do so with all of it in the end would take milliseconds. */
async function readPromised(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
  length: number,
): Promise<ReadBody> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let size = 0;
  const add = (chunk: Uint8Array) => {
    bytes.set(chunk, size);
    size += chunk.byteLength;
  };
  for (const chunk of chunks) add(chunk);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { kind: 'whole', bytes: bytes.subarray(0, size) };
    if (size + value.byteLength > length) {
      const stream = goneOn([bytes.subarray(0, size), value], reader);
      return { kind: 'long', reason: 'body_too_large', stream };
    }
    add(value);
  }
}

async function* goneOn(
  chunks: Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks.splice(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Whether there is room for so many bytes of what was packed. */
type HasRoom = (size: number) => boolean;
type DecoderOptions = { flush?: number; finishFlush?: number; chunkSize?: number };

/** Null for codings that this Node cannot read. */
function decoderOf(coding: string): ((options: DecoderOptions) => Transform) | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return zlib.createUnzip;
    case 'br':
      return zlib.createBrotliDecompress;
    case 'zstd':
      return HAS_ZSTD ? zstdDecoder : null;
    default:
      return null;
  }
}

const CHUNK = 65_536;

/** Conversations shrink to a tenth or a thirtieth. Some hundred bytes can be made to unpack to gigabytes. */
const MOST_TIMES = 100;
const ALWAYS = 4 * 1024 * 1024;

function mostPlain({ byteLength }: Buffer): number {
  return Math.min(MOST_BYTES, Math.max(ALWAYS, byteLength * MOST_TIMES));
}

/** Piece by piece, with others in between: zlib itself would put many megabytes together in one go. */
async function through(decoder: Transform, bytes: Buffer, hasRoom?: HasRoom): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const most = mostPlain(bytes);
  let size = 0;
  decoder.end(bytes);
  for await (const piece of decoder) {
    size += piece.byteLength;
    if (size > most || hasRoom?.(size) === false) {
      throw new Error('what was packed is too long to be read');
    }
    pieces.push(piece);
  }
  return joinedBytes(pieces);
}

/** Node 22.15 and later; the types are those of Node 20. */
function zstdDecoder(options: DecoderOptions): Transform {
  const create = Reflect.get(zlib, 'createZstdDecompress') as (given: DecoderOptions) => Transform;
  return create(options);
}

/** To decode more takes some milliseconds, in bytes: others come in between. */
const LARGE = 1_000_000;

/**
 * A body in some content coding as the text that it is, in UTF-8; null when it cannot be read, or there is
 * no room for what comes out of it.
 */
export async function plainOf(
  bytes: Buffer,
  coding: string | null,
  hasRoom?: HasRoom,
): Promise<Buffer | null> {
  try {
    const plain = await inflated(bytes, nameOf(coding), {}, hasRoom);
    return plain !== null && isUtf8(plain) ? plain : null;
  } catch {
    return null;
  }
}

/** The text of a body in some content coding; null when it cannot be read. */
export async function textOf(bytes: Buffer, coding: string | null): Promise<string | null> {
  try {
    const plain = await inflated(bytes, nameOf(coding), {});
    if (plain === null) return null;
    return plain.length <= LARGE ? utf8.decode(plain) : await decodedInParts(plain);
  } catch {
    return null;
  }
}

/**
 * Throws for bytes that are no UTF-8. Each part ends with a character and is decoded by itself: as one
 * stream it would take several times as long, and the text twice the memory.
 */
async function decodedInParts(bytes: Buffer): Promise<string> {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const end = endOfPart(bytes, at + LARGE);
    text += (at === 0 ? utf8 : utf8Within).decode(bytes.subarray(at, end));
    at = end;
    await nextTurn();
  }
  return text;
}

/** Before the character that this place would cut. */
function endOfPart(bytes: Buffer, most: number): number {
  let end = most;
  while (end > most - LONGEST_CHARACTER && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Math.min(end, bytes.length);
}

const LONGEST_CHARACTER = 4;
/** Only the first part may begin with a mark of the order of bytes, which is no text. */
const utf8Within = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The plain bytes of an answer that may have been cut off: as many as can be read, perhaps none. */
export async function partialBytesOf(bytes: Buffer, coding: string | null): Promise<Buffer> {
  const name = nameOf(coding);
  try {
    return (await inflated(bytes, name, { finishFlush: flushOf(name) })) ?? NONE;
  } catch {
    return NONE;
  }
}

const NONE = Buffer.alloc(0);

/** The same as text. */
export async function partialTextOf(bytes: Buffer, coding: string | null): Promise<string> {
  return new TextDecoder('utf-8').decode(await partialBytesOf(bytes, coding));
}

/** A body that comes in some content coding, as plain bytes as they come. */
export function decoded(body: Passing, coding: string | null): Passing {
  const name = nameOf(coding);
  const decoder = decoderOf(name)?.(name === 'zstd' ? {} : { flush: flushOf(name) });
  if (decoder === undefined) return body;
  const plain = Readable.from(body)
    .on('error', (error) => decoder.destroy(error))
    .pipe(decoder);
  return {
    [Symbol.asyncIterator]: () => plain[Symbol.asyncIterator](),
    destroy: () => {
      plain.destroy();
      body.destroy();
    },
  };
}

/** Whether `decoded` knows a coding. */
export function isDecoded(coding: string | null): boolean {
  const name = nameOf(coding);
  return name === 'identity' || decoderOf(name) !== null;
}

function nameOf(coding: string | null): string {
  return (coding ?? 'identity').trim().toLowerCase() || 'identity';
}

/** What makes a decoder hand out all that it has where there is no more. */
function flushOf(coding: string): number {
  const { constants } = zlib;
  switch (coding) {
    case 'br':
      return constants.BROTLI_OPERATION_FLUSH;
    // ZSTD_e_flush
    case 'zstd':
      return 1;
    default:
      return constants.Z_SYNC_FLUSH;
  }
}

async function inflated(
  bytes: Buffer,
  coding: string,
  options: { finishFlush?: number },
  hasRoom?: HasRoom,
): Promise<Buffer | null> {
  if (coding === 'identity') return bytes;
  const decoder = decoderOf(coding);
  if (decoder === null) return null;
  return through(decoder({ ...options, chunkSize: CHUNK }), bytes, hasRoom);
}
