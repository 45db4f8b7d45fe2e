import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { HAS_ZSTD } from './headers.ts';

/** What the gateway reads of a request, in bytes; a longer one passes through. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A body that was read, or one that is too long: what came of it, and the rest. */
export type ReadBody =
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'long'; stream: AsyncIterable<Uint8Array> };

/** Reads a body as far as it is read here. Rejects when the client breaks it off. */
export async function readBody(request: Request, most = MOST_BYTES): Promise<ReadBody> {
  if (request.body === null) return { kind: 'whole', bytes: Buffer.alloc(0) };
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { kind: 'whole', bytes: Buffer.concat(chunks) };
    chunks.push(value);
    size += value.byteLength;
    if (size > most) return { kind: 'long', stream: goneOn(chunks, reader) };
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

type Options = { maxOutputLength: number; finishFlush?: number };
type Inflate = (bytes: Buffer, options: Options) => Promise<Buffer>;

/** Null for codings that this Node cannot read. */
function inflaterOf(coding: string): Inflate | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.unzip);
    case 'br':
      return promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
    case 'zstd':
      return HAS_ZSTD ? zstd : null;
    default:
      return null;
  }
}

/** Node 22.15 and later; the types are those of Node 20. */
const zstd: Inflate = (bytes, options) =>
  new Promise((resolve, reject) => {
    const inflate = Reflect.get(zlib, 'zstdDecompress') as typeof zlib.unzip;
    inflate(bytes, options, (error, result) => (error === null ? resolve(result) : reject(error)));
  });

/** The text of a body in some content coding; null when it cannot be read. */
export async function textOf(bytes: Buffer, coding: string | null): Promise<string | null> {
  try {
    const plain = await inflated(bytes, nameOf(coding), {});
    return plain === null ? null : utf8.decode(plain);
  } catch {
    return null;
  }
}

/** The text of an answer that may have been cut off: as much as has come; '' for what cannot be read. */
export async function partialTextOf(bytes: Buffer, coding: string | null): Promise<string> {
  const name = nameOf(coding);
  try {
    const plain = await inflated(bytes, name, { finishFlush: flushOf(name) });
    return plain === null ? '' : new TextDecoder('utf-8').decode(plain);
  } catch {
    return '';
  }
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
  options: Omit<Options, 'maxOutputLength'>,
): Promise<Buffer | null> {
  if (coding === 'identity') return bytes;
  const inflate = inflaterOf(coding);
  return inflate === null ? null : inflate(bytes, { maxOutputLength: MOST_BYTES, ...options });
}
