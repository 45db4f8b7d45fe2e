import type { Json, JsonObject } from '../../../src/domain/json.ts';
import type { Operation, Parameter } from '../../support/openapi-fuzzer/document.ts';
import {
  brokenText,
  HOSTILE_SEGMENTS,
  HOSTILE_STRINGS,
  spoiled,
} from '../../support/openapi-fuzzer/hostile.ts';
import { valueFor } from '../../support/openapi-fuzzer/values.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { ItemSource } from './items.ts';
import type { Pool } from './pool.ts';

export type FuzzRequest = {
  /** Null: no documented operation. */
  operation: Operation | null;
  method: string;
  /** Path and query as they go into the URL. */
  target: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | null;
  /** Null: an answer must come by itself; else the client hangs up after so many milliseconds. */
  hang_up_after_ms: number | null;
};

/** How often an operation is chosen, by method and path; the others have weight 1. */
const WEIGHTS: Record<string, number> = {
  'POST /sessions': 2,
  'DELETE /sessions/{id}': 0.3,
  'POST /sessions/{id}/items': 12,
  'POST /sessions/{id}/compact': 7,
  'POST /sessions/{id}/signals': 5,
  'POST /sessions/{id}/packet': 5,
  'POST /sessions/{id}/pins': 2,
  'GET /sessions/{id}/context': 3,
  'GET /sessions/{id}/search': 3,
  'POST /sessions/{id}/compactions/{cid}/revert': 2,
  'POST /sessions/{id}/compactions/{cid}/cancel': 2,
  // They work while a proposal is open, which the next compaction ends.
  'POST /sessions/{id}/compactions/{cid}/apply': 10,
  'POST /sessions/{id}/compactions/{cid}/discard': 8,
};

const HEADER_VALUES: Record<string, readonly string[]> = {
  'if-match': ['"1"', '"3"', '*', 'W/"1"', '"-1"', '1', '"99999999999999999999"', 'garbage', ''],
  'if-none-match': ['"1"', 'W/"2", "3"', '*', 'garbage'],
  'idempotency-key': ['a', 'b', 'c', '', ' ', 'k'.repeat(255), 'k'.repeat(5_000)],
  prefer: [
    'wait=0',
    'wait=1',
    'wait=60',
    'wait=-1',
    'wait=abc',
    'wait=1e9',
    'respond-async, wait=1',
  ],
  accept: [
    'application/json',
    'text/event-stream',
    '*/*',
    'text/html',
    'image/png',
    'nonsense',
    '',
  ],
  'last-event-id': ['0', '3', '-1', 'abc', '1e3', '99999999999999999999'],
  'content-type': [
    'application/json; charset=utf-8',
    'application/x-ndjson',
    'text/plain',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    'nonsense',
    '',
  ],
};

/** Makes requests that are valid, nearly valid, or not at all, from the service's own document. */
export class RequestSource {
  readonly #document: JsonObject;
  readonly #operations: readonly Operation[];
  readonly #pool: Pool;
  readonly #items: ItemSource;
  readonly #totalWeight: number;

  constructor(
    document: JsonObject,
    operations: readonly Operation[],
    pool: Pool,
    items: ItemSource,
  ) {
    this.#document = document;
    this.#operations = operations;
    this.#pool = pool;
    this.#items = items;
    this.#totalWeight = operations.reduce((sum, operation) => sum + weightOf(operation), 0);
  }

  /** `wanted`: operations, by method and path, of which there are to be more than of others. */
  next(random: SeededRandom, wanted: readonly string[] = []): FuzzRequest {
    if (random.chance(0.02)) return this.#undocumented(random);
    const missing = this.#operations.filter(({ method, path }) =>
      wanted.includes(`${method} ${path}`),
    );
    const isWanted = missing.length > 0 && random.chance(0.5);
    const operation = isWanted ? random.pick(missing) : this.#pick(random);
    const sessionId = this.#sessionId(operation, random);
    const isOfProposal = /\/(?:apply|discard)$/.test(operation.path);
    const proposal = isOfProposal ? this.#pool.proposal(random) : null;
    const path =
      proposal === null
        ? this.#path(operation, sessionId, random)
        : operation.path
            .replace('{id}', proposal.sessionId)
            .replace('{cid}', proposal.compactionId);
    const target = path + this.#query(operation, random);
    const headers = this.#headers(operation, random);
    const body = this.#body(operation, sessionId, headers, random);
    return {
      operation,
      method: operation.method,
      target,
      headers,
      body,
      hang_up_after_ms: mayHold(target, headers) ? random.pick([1, 20, 60, 150]) : null,
    };
  }

  #sessionId({ path }: Operation, random: SeededRandom): string {
    if (path.endsWith('/packet')) return this.#pool.packetSessionId(random);
    return path.endsWith('/{pin_id}')
      ? this.#pool.pinnedSessionId(random)
      : this.#pool.sessionId(random);
  }

  #pick(random: SeededRandom): Operation {
    let left = random.next() * this.#totalWeight;
    for (const operation of this.#operations) {
      left -= weightOf(operation);
      if (left < 0) return operation;
    }
    return random.pick(this.#operations);
  }

  #path(operation: Operation, sessionId: string, random: SeededRandom): string {
    return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (random.chance(0.03)) return random.pick(HOSTILE_SEGMENTS);
      switch (name) {
        case 'id':
          return sessionId;
        case 'cid':
          return this.#pool.compactionId(sessionId, random);
        case 'pin_id':
          return this.#pool.pinId(sessionId);
        case 'seq':
          return String(random.int(1, 40));
        default:
          return `call_${random.int(0, 12)}`;
      }
    });
  }

  #query(operation: Operation, random: SeededRandom): string {
    const pairs = operation.parameters
      .filter(({ place }) => place === 'query' && random.chance(0.35))
      .map((parameter) => [parameter.name, this.#queryValue(parameter, random)]);
    if (random.chance(0.02)) pairs.push(['unknown', 'x']);
    if (pairs.length > 0 && random.chance(0.02)) pairs.push(...pairs);
    if (pairs.length === 0) return random.chance(0.01) ? '?%ZZ=%&=&&' : '';
    return `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`;
  }

  #queryValue({ schema }: Parameter, random: SeededRandom): string {
    if (random.chance(0.1)) return random.pick(HOSTILE_SEGMENTS);
    const value = valueFor(this.#document, schema, random);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return encoded(text);
  }

  #headers(operation: Operation, random: SeededRandom): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const [name, values] of Object.entries(HEADER_VALUES)) {
      const isDocumented = operation.parameters.some(
        (parameter) => parameter.place === 'header' && parameter.name.toLowerCase() === name,
      );
      if (random.chance(isDocumented ? 0.2 : 0.02)) headers[name] = random.pick(values);
    }
    return headers;
  }

  /** Also sets the content type where the headers have none. */
  #body(
    operation: Operation,
    sessionId: string,
    headers: Record<string, string>,
    random: SeededRandom,
  ): FuzzRequest['body'] {
    const schema = operation.bodies.get('application/json');
    if (schema === undefined || operation.method === 'GET') return null;
    const lines = operation.bodies.has('application/x-ndjson') && random.chance(0.2);
    headers['content-type'] ??= lines ? 'application/x-ndjson' : 'application/json';
    const valid = this.#validBody(operation, schema, sessionId, random);
    const json = random.chance(0.2) ? spoiled(valid, random) : valid;
    const text =
      lines && Array.isArray(json)
        ? json.map((line) => JSON.stringify(line)).join('\n')
        : JSON.stringify(json);
    if (random.chance(0.01)) return new TextEncoder().encode(text + ' '.repeat(400_000));
    if (random.chance(0.06)) return new Uint8Array(brokenText(text, random));
    return new TextEncoder().encode(text);
  }

  #validBody(
    { path }: Operation,
    schema: JsonObject,
    sessionId: string,
    random: SeededRandom,
  ): Json {
    if (path.endsWith('/items')) return this.#postedItems(sessionId, random);
    if (path.endsWith('/compact') && random.chance(0.4)) return { propose: true };
    // The signal that most follows from.
    if (path.endsWith('/signals') && random.chance(0.5)) return { signal: 'turn_complete' };
    return this.#value(schema, random);
  }

  #value(schema: JsonObject, random: SeededRandom): Json {
    const value = valueFor(this.#document, schema, random);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    // New sessions mostly take an id of the pool, or most of them would never be used again.
    return 'id' in value && random.chance(0.8)
      ? { ...value, id: this.#pool.sessionId(random) }
      : value;
  }

  #postedItems(sessionId: string, random: SeededRandom): Json {
    const format = random.chance(0.95) ? this.#pool.formatOf(sessionId) : 'openai-chat';
    const items = this.#items.some(format, random);
    if (items.length === 1 && random.chance(0.3)) return items[0] ?? {};
    return random.chance(0.2) ? { items } : items;
  }

  #undocumented(random: SeededRandom): FuzzRequest {
    const target = random.pick([
      `/sessions/${this.#pool.sessionId(random)}/nonsense`,
      '/nonsense',
      '//',
      `/${random.pick(HOSTILE_SEGMENTS)}`,
      `/x${encoded(random.pick(HOSTILE_STRINGS).slice(0, 2_000))}`,
      '/sessions/',
    ]);
    const method = random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
    return { operation: null, method, target, headers: {}, body: null, hang_up_after_ms: null };
  }
}

/** As a URL carries it; half of a surrogate pair cannot travel. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}

function weightOf({ method, path }: Operation): number {
  return WEIGHTS[`${method} ${path}`] ?? 1;
}

/** Whether the service may hold the answer to this request, or stream it without end. */
function mayHold(target: string, headers: Record<string, string>): boolean {
  return (
    target.includes('wait=') ||
    /wait=/.test(headers.prefer ?? '') ||
    /event-stream|\*\/\*/.test(headers.accept ?? '')
  );
}
