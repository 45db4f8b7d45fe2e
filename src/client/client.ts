import { ConnectionError, PalimpsestError, ProblemError } from './errors.ts';
import { type Event, OPERATIONS, type Operations } from './generated.ts';
import { lines, serverEvents } from './server-events.ts';
import {
  backoff,
  type CallOptions,
  type ClientOptions,
  type Order,
  pause,
  Transport,
} from './transport.ts';

export { ConnectionError, PalimpsestError, ProblemError, TimeoutError } from './errors.ts';
export type * from './generated.ts';
export type { CallOptions, ClientOptions } from './transport.ts';

type Name = keyof Operations;
type Args<Op extends Name> = Operations[Op]['args'];
type LineOperation = {
  [Op in Name]: (typeof OPERATIONS)[Op]['answersLines'] extends true ? Op : never;
}[Name];

/** What a call resolves to; lines come one by one. */
type Answer<Op extends Name> = Op extends LineOperation
  ? AsyncGenerator<Operations[Op]['answer']>
  : Operations[Op]['answer'];

/** Operations without a required argument may be called without any. */
type Parameters<Op extends Name> =
  Record<never, never> extends Args<Op>
    ? [args?: Args<Op>, options?: CallOptions]
    : [args: Args<Op>, options?: CallOptions];

type Calls = { [Op in Name]: (...parameters: Parameters<Op>) => Promise<Answer<Op>> };

type Paged = { [Op in Name]: 'cursor' extends keyof Args<Op> ? Op : never }[Name];
type Entry<Op extends Paged> = Operations[Op]['answer'] extends { data: Array<infer E> }
  ? E
  : never;

/** Every operation of the API by its name, pages as one sequence, and events as they come. */
export type PalimpsestClient = Calls & {
  /** All entries of a paged operation, page after page: `client.each('listItems', { id })`. */
  each: <Op extends Paged>(
    operation: Op,
    args: Args<Op>,
    options?: CallOptions,
  ) => AsyncGenerator<Entry<Op>>;
  /**
   * The events of a session, those that there are and those to come, until the signal or a `break` ends
   * it. A connection that breaks is opened again where it was: no event is missed, none comes twice.
   * Throws ProblemError when the service refuses it, and ConnectionError after `retries` failures in a
   * row.
   */
  follow: (
    args: Follow,
    options?: Pick<CallOptions, 'signal' | 'retries'>,
  ) => AsyncGenerator<Event>;
};

type Follow = Pick<Args<'listEvents'>, 'id' | 'types'> & {
  /** Only events after this version; by default all. */
  after?: number;
};

/** A client of the service at `url`. It keeps no connection and no state: make as many as you like. */
export function createClient(options: ClientOptions = {}): PalimpsestClient {
  const transport = new Transport(options);
  const call = async (name: Name, args: object = {}, callOptions: CallOptions = {}) =>
    transport.send(orderOf(name, args, callOptions), callOptions, readerOf(name));
  const calls = Object.fromEntries(
    namesOf(OPERATIONS).map((name) => [
      name,
      (args?: object, callOptions?: CallOptions) => call(name, args, callOptions),
    ]),
  );
  return {
    // `fromEntries` forgets the keys and what each answers; the table has one for each operation.
    ...(calls as Calls),
    each: async function* (operation, args, callOptions) {
      let cursor: string | number | null | undefined;
      do {
        const page = (await call(
          operation,
          cursor === undefined ? args : { ...args, cursor },
          callOptions,
          // What is paged has these two fields, whatever its entries are.
        )) as { data: never[]; next_cursor: string | null };
        yield* page.data;
        cursor = page.next_cursor;
      } while (cursor !== null);
    },
    follow: (args, followOptions) => follow(transport, args, followOptions ?? {}, options.retries),
  };
}

async function* follow(
  transport: Transport,
  { id, types, after = 0 }: Follow,
  { signal, retries }: Pick<CallOptions, 'signal' | 'retries'>,
  retriesByDefault = 3,
): AsyncGenerator<Event> {
  const ended = new AbortController();
  const until = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const most = retries ?? retriesByDefault;
  let last = String(after);
  let failures = 0;
  try {
    for (;;) {
      try {
        const order = orderOf('listEvents', { id, ...(types !== undefined && { types }) }, {});
        const headers = { accept: 'text/event-stream', 'last-event-id': last };
        const { body } = await transport.open({ ...order, headers }, until);
        if (body === null) throw new ConnectionError('the answer has no body');
        for await (const { id: version, data } of serverEvents(body)) {
          failures = 0;
          // What is sent is the service's own: it is not checked again.
          yield JSON.parse(data) as Event;
          last = version ?? last;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (!mayPass(error)) throw error;
        if (failures >= most) {
          throw error instanceof PalimpsestError
            ? error
            : new ConnectionError(`the events of ${id} cannot be followed`, { cause: error });
        }
      }
      await pause(backoff(failures++), until).catch(() => {});
      if (until.aborted) return;
    }
  } finally {
    ended.abort();
  }
}

function mayPass(error: unknown): boolean {
  return !(error instanceof ProblemError) || error.status === 429 || error.status >= 502;
}

/** The request of a call. Throws PalimpsestError for an argument that is missing. */
function orderOf(name: Name, args: object, options: CallOptions): Order {
  const { method, path, query, isRepeatable } = OPERATIONS[name];
  const given = new Map<string, unknown>(Object.entries(args));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = given.get(parameter);
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value);
    throw new PalimpsestError(`${name} needs "${parameter}"`);
  });
  const search = new URLSearchParams();
  for (const parameter of query) {
    const value = given.get(parameter);
    if (value !== undefined) search.set(parameter, String(value));
  }
  const body = given.get('body');
  const { idempotencyKey, ifMatch, waitSeconds } = options;
  return {
    method,
    path: search.size === 0 ? filled : `${filled}?${search}`,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(isRepeatable && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch === '*' ? '*' : `"${ifMatch}"` }),
      ...(waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    // Reading twice or setting twice is as once; what appends takes a key. To erase twice is an error.
    isRepeatable: isRepeatable || method === 'GET' || method === 'PATCH',
  };
}

function readerOf(name: Name): (response: Response) => Promise<unknown> {
  if (OPERATIONS[name].answersLines) {
    return async ({ body }) => parsedLines(body);
  }
  return async (response) => (response.status === 204 ? undefined : response.json());
}

async function* parsedLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown> {
  if (body === null) return;
  for await (const line of lines(body, true)) if (line !== '') yield JSON.parse(line);
}

function namesOf<T extends object>(table: T): (keyof T)[] {
  // `keys` forgets what they are.
  return Object.keys(table) as (keyof T)[];
}
