import { z } from 'zod';
import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { Json, JsonObject } from '../../src/domain/json.ts';

const item = z.record(z.string(), z.json());
const appended = z.object({
  session_id: z.string(),
  version: z.int(),
  first_seq: z.int(),
  last_seq: z.int(),
  context: z.object({ tokens: z.number(), limit: z.number(), is_above_auto_compact: z.boolean() }),
  compaction: z
    .object({ id: z.string(), status: z.string(), mode: z.string(), trigger: z.string() })
    .nullable(),
});
const compaction = z.looseObject({
  id: z.string(),
  status: z.enum(['queued', 'running', 'ended']),
  outcome: z.string().nullish(),
});
const context = z.object({
  version: z.int(),
  format: z.string(),
  items: z.array(item),
  tokens: z.number(),
  base_compaction_id: z.string().nullable(),
});
const storedItem = z.object({ seq: z.int(), at: z.string(), item, tokens: z.number() });
const event = z.object({
  version: z.int(),
  type: z.string(),
  at: z.string(),
  data: z.record(z.string(), z.json()),
  hash: z.string(),
});
const page = <T extends z.ZodType>(entry: T) =>
  z.object({ data: z.array(entry), next_cursor: z.string().nullable() });

export type Appended = z.infer<typeof appended>;
type Compaction = z.infer<typeof compaction>;
type Context = z.infer<typeof context>;
type StoredItem = z.infer<typeof storedItem>;
export type LoggedEvent = z.infer<typeof event>;

export type Answer = { status: number; headers: Headers; body: Json };
type Call = { body?: Json; headers?: Record<string, string> };

/** An answer that the test did not expect, with everything it says. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

const PAGE = 500;
const ENDS = [
  'compaction.completed',
  'compaction.skipped',
  'compaction.cancelled',
  'compaction.failed',
  'compaction.micro_completed',
];

/** Whether the event ends its compaction (SPEC section 3). */
export function isTerminal({ type, data }: LoggedEvent): boolean {
  return ENDS.includes(type) && data.will_retry !== true;
}

/** The answer to an append. Throws when it has another shape. */
export function appendedOf(body: Json): Appended {
  return appended.parse(body);
}

/** A compaction as the API shows it. Throws when it has another shape. */
export function compactionOf(body: Json): Compaction {
  return compaction.parse(body);
}

/** The context of a session. Throws when it has another shape. */
export function contextOf(body: Json): Context {
  return context.parse(body);
}

/** One session of a running service, over a real socket. `url` may change when it is restarted. */
export class SessionClient {
  readonly id: string;
  readonly #url: () => string;

  constructor(url: () => string, id: string) {
    this.#url = url;
    this.id = id;
  }

  /** Creates the session with these settings and answers its client. */
  static async create(
    url: () => string,
    settings: { id: string; format: Format } & JsonObject,
  ): Promise<SessionClient> {
    const client = new SessionClient(url, settings.id);
    expectStatus(await call(url(), 'POST', '/sessions', { body: settings }), 201);
    return client;
  }

  /** Any request below `/sessions/:id`; whatever comes back. */
  request(method: string, path: string, options: Call = {}): Promise<Answer> {
    return call(this.#url(), method, `/sessions/${this.id}${path}`, options);
  }

  async append(items: readonly Item[], headers: Record<string, string> = {}): Promise<Appended> {
    const answer = await this.request('POST', '/items', { body: [...items], headers });
    return appendedOf(expectStatus(answer, 201));
  }

  /** Requests a compaction and waits up to a minute for its end. */
  async compact(body: JsonObject = {}): Promise<Compaction> {
    const headers = { prefer: 'wait=60' };
    const answer = await this.request('POST', '/compact', { body, headers });
    return compactionOf(expectStatus(answer, 200));
  }

  /** Requests a compaction; answers at once. */
  async requestCompaction(body: JsonObject = {}): Promise<Compaction> {
    return compactionOf(expectStatus(await this.request('POST', '/compact', { body }), 202));
  }

  async compaction(id: string): Promise<Compaction> {
    return compactionOf(expectStatus(await this.request('GET', `/compactions/${id}`), 200));
  }

  /** Waits until this compaction has ended. */
  async ended(id: string): Promise<Compaction> {
    for (;;) {
      const now = await this.compaction(id);
      if (now.status === 'ended') return now;
      await this.context('wait=compaction');
    }
  }

  async context(query = ''): Promise<Context> {
    return contextOf(expectStatus(await this.request('GET', `/context?${query}`), 200));
  }

  /** The raw log after a `seq`. */
  async items(after = 0): Promise<StoredItem[]> {
    const all: StoredItem[] = [];
    for (;;) {
      const from = all.at(-1)?.seq ?? after;
      const path = `/items?after=${from}&limit=${PAGE}`;
      const { data } = page(storedItem).parse(expectStatus(await this.request('GET', path), 200));
      all.push(...data);
      if (data.length < PAGE) return all;
    }
  }

  /** The event log after a version. */
  async events(after = 0): Promise<LoggedEvent[]> {
    const all: LoggedEvent[] = [];
    for (;;) {
      const from = all.at(-1)?.version ?? after;
      const path = `/events?after=${from}&limit=${PAGE}`;
      const { data } = page(event).parse(expectStatus(await this.request('GET', path), 200));
      all.push(...data);
      if (data.length < PAGE) return all;
    }
  }
}

/** One request with a JSON body; whatever comes back. Throws when the connection fails. */
export async function call(
  url: string,
  method: string,
  path: string,
  { body, headers = {} }: Call = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? z.json().parse(JSON.parse(text)) : text,
  };
}

/** The body of an answer that has this status; throws UnexpectedAnswer otherwise. */
export function expectStatus(answer: Answer, status: number): Json {
  if (answer.status === status) return answer.body;
  throw new UnexpectedAnswer(
    `expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`,
  );
}
