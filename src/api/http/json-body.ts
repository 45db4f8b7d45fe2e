import type { z } from '@hono/zod-openapi';
import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import { describeFlaw, flawOf } from '../../domain/exact-json.ts';
import type { Json } from '../../domain/json.ts';
import { measureJson } from '../../domain/json-text.ts';
import type { Limits } from '../app-dependencies.ts';
import { SMALL } from './body-room.ts';
import { keepBody } from './elsewhere.ts';
import { joinedBytes } from './joined-bytes.ts';
import { ProblemError } from './problem.ts';
import { parseInput } from './validation.ts';

export type RawBody = { kind: 'json' | 'ndjson'; text: string };
export type BytesBody = Pick<RawBody, 'kind'> & { bytes: Uint8Array };

const NOTHING = new Uint8Array();

type ValueLimits = Pick<Limits, 'json_values' | 'json_values_here'>;
type ReadLimits = Pick<Limits, 'body_bytes' | 'room'>;
export type BodyLimits = Pick<Limits, 'body_bytes_here' | 'json_depth'> & ReadLimits & ValueLimits;

/** Fatal: bytes that are no UTF-8 would otherwise be stored as something that was never sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body once, as text. A body without content type is taken as JSON, as is one without bytes.
 * Throws ProblemError: 413 beyond the limit, 415 for another content type or a compressed body, 503 while
 * there is no room for it, 400 for bytes that are no UTF-8; ElsewhereError for a body that is too large to
 * be parsed here.
 */
export async function readText(request: Request, limits: BodyLimits): Promise<RawBody> {
  return textOf(await readBytesOnly(request, limits), limits);
}

/** Reads a body once, as bytes. Throws ProblemError (413, 415, 503) as `readText` does. */
export async function readBytesOnly(
  request: Request,
  { body_bytes, room }: ReadLimits,
): Promise<BytesBody> {
  // Clients name all sorts of types where they send nothing.
  if (request.headers.get('content-length') === '0') return { kind: 'json', bytes: NOTHING };
  refuseEncoded(request.headers.get('content-encoding'));
  const kind = kindOf(request.headers.get('content-type'));
  return { kind, bytes: await readBody(request, { body_bytes, room }) };
}

/**
 * The text of a body. Throws ProblemError (400) for bytes that are no UTF-8, ElsewhereError for a body that
 * is too large to be parsed here.
 */
export function textOf({ kind, bytes }: BytesBody, limits: HereLimit): RawBody {
  refuseLarge(bytes, limits);
  try {
    return { kind, text: utf8.decode(bytes) };
  } catch {
    throw new ProblemError('invalid_request', 'the body is not valid UTF-8: encode it as UTF-8');
  }
}

/**
 * Reads a body once, as it came. Throws ProblemError (413 beyond the limit, 503 while there is no room for
 * it), ElsewhereError for one that is too large to be worked on here.
 */
export async function readBody(
  request: Request,
  limits: ReadLimits & HereLimit,
): Promise<Uint8Array> {
  const bytes = await readBytes(request, limits);
  keepBody(request, bytes);
  refuseLarge(bytes, limits);
  return bytes;
}

type HereLimit = Pick<BodyLimits, 'body_bytes_here'>;

function refuseLarge({ byteLength }: Uint8Array, { body_bytes_here = Infinity }: HereLimit): void {
  if (byteLength > body_bytes_here) throw new ElsewhereError();
}

/** A JSON body that fits the schema; an empty body counts as `{}`. Throws ProblemError. */
export async function readJson<T>(
  request: Request,
  limits: BodyLimits,
  schema: z.ZodType<T>,
): Promise<T> {
  return jsonOf(await readText(request, limits), limits, schema);
}

/** The same of a body that was read. Throws ProblemError. */
export function jsonOf<T>({ kind, text }: RawBody, limits: BodyLimits, schema: z.ZodType<T>): T {
  if (kind !== 'json') {
    throw new ProblemError('unsupported_media_type', 'send this body as application/json');
  }
  refuseTooManyValues(text, limits);
  const json = text.trim() === '' ? {} : parseJson(text, limits.json_depth, 'the body');
  return parseInput(schema, json, 'the body');
}

/**
 * Throws ProblemError (413) when a body holds more values than one may; ElsewhereError for more than
 * are worked on here.
 */
export function refuseTooManyValues(
  text: string,
  { json_values, json_values_here = json_values }: ValueLimits,
): void {
  const { values } = measureJson(text, { values: json_values, depth: Number.POSITIVE_INFINITY });
  if (values <= json_values_here) return;
  if (values <= json_values) throw new ElsewhereError();
  throw new ProblemError(
    'body_too_large',
    `a request may hold ${json_values} JSON values (objects, arrays and everything inside them), ` +
      'and this one has more: send the items in several requests, and large data as text',
  );
}

/**
 * Parses one JSON text; `what` names it in the message. Throws ProblemError (400), also for what
 * would be stored as something else (`flawOf`). The caller has counted its values.
 */
export function parseJson(text: string, maxDepth: number, what: string): Json {
  // Before parsing: a few megabytes of brackets keep the parser busy for seconds.
  const flaw = flawOf(text, maxDepth);
  if (flaw !== null) throw new ProblemError('invalid_request', describeFlaw(flaw, maxDepth, what));
  try {
    // JSON.parse yields exactly the values that Json names.
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new ProblemError('invalid_request', `${what} is not valid JSON: ${parseProblem(error)}`);
  }
}

function kindOf(contentType: string | null): RawBody['kind'] {
  if (contentType === null) return 'json';
  const semicolon = contentType.indexOf(';');
  const essence = semicolon === -1 ? contentType : contentType.slice(0, semicolon);
  switch (essence.trim().toLowerCase()) {
    case 'application/json':
      return 'json';
    case 'application/x-ndjson':
      return 'ndjson';
    default:
      throw new ProblemError(
        'unsupported_media_type',
        'set the header "Content-Type: application/json" (application/x-ndjson where items are posted)',
      );
  }
}

/** Bytes that are no UTF-8 would else be blamed, though they are only packed. */
function refuseEncoded(encoding: string | null): void {
  if (encoding === null || encoding.trim().toLowerCase() === 'identity') return;
  throw new ProblemError(
    'unsupported_media_type',
    'the body has a Content-Encoding, and the service does not decompress: send it uncompressed',
    { headers: { 'Accept-Encoding': 'identity' } },
  );
}

async function readBytes(request: Request, limits: ReadLimits): Promise<Uint8Array> {
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > limits.body_bytes) throw tooLarge(limits.body_bytes);
  if (length === null || Number(length) > SMALL) return readCounted(request, limits);
  // The HTTP parser has ended the body at that length: there is nothing left to count.
  return new Uint8Array(await request.arrayBuffer().catch(cutOff));
}

/** A body that is long, or of unknown length as chunked ones are: given up as soon as it passes the limit. */
async function readCounted(
  request: Request,
  { body_bytes: limit, room }: ReadLimits,
): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const announced = Number(request.headers.get('content-length') ?? 0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(cutOff);
    if (done) return joinedBytes(chunks);
    size += value.byteLength;
    const isTooLarge = size > limit;
    if (isTooLarge || room?.holds(request, size, announced) === false) {
      await reader.cancel();
      throw isTooLarge ? tooLarge(limit) : noRoom();
    }
    chunks.push(value);
  }
}

function cutOff(): never {
  throw new ProblemError(
    'invalid_request',
    'the connection ended before the whole body had arrived: send it again',
  );
}

function tooLarge(limit: number): ProblemError {
  return new ProblemError(
    'body_too_large',
    `a body may have at most ${limit} bytes: send the items in several requests`,
  );
}

function noRoom(): ProblemError {
  return new ProblemError(
    'unavailable',
    'the service holds as many large bodies as it has room for: send the request again in a second, ' +
      'or several smaller ones',
    { headers: { 'Retry-After': '1' } },
  );
}

/** The parser's own message quotes the text: only what is wrong and where is passed on. */
function parseProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const where = /^(.*) in JSON at position (\d+)/s.exec(message);
  if (where) return `${where[1]?.toLowerCase()} at position ${where[2]}`;
  if (message.startsWith('Unexpected end')) return 'it ends too early';
  return `unexpected ${/^Unexpected token (.{1,4}?),/su.exec(message)?.[1] ?? 'character'}`;
}
