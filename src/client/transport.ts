import { ConnectionError, type ProblemError, problemOf, TimeoutError } from './errors.ts';

export type ClientOptions = {
  /** Where the service listens; default `http://127.0.0.1:8787`. */
  url?: string | undefined;
  /** One of PALIMPSEST_API_KEYS, where the service has any. */
  key?: string | undefined;
  /** How often a request is sent again at most; default 3, 0 for never. */
  retries?: number | undefined;
  /** How long one try may take, in milliseconds; default 70,000: some answers are held for 60 seconds. */
  timeoutMs?: number | undefined;
  /** In place of the global one. */
  fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
};

export type CallOptions = {
  /** Ends the call, and the waits between its tries. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  /** Of a call that takes one; made up where it is not given. */
  idempotencyKey?: string | undefined;
  /** The version that the session must be at; `*`: it must be there. */
  ifMatch?: number | '*' | undefined;
  /** Holds the answer while a compaction goes on, for at most so many seconds (60). */
  waitSeconds?: number | undefined;
};

/** One request, as often as it may be sent. */
export type Order = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** When it may be sent again though it is not known what became of it. */
  isRepeatable: boolean;
};

/** Statuses of services and of what stands in front of them that may be another one soon. */
const TRANSIENT = new Set([429, 502, 503, 504]);
/** Of these nothing was done; after a bad gateway that is not known. */
const UNTOUCHED = new Set([429, 503]);

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Who is asked to wait longer is told at once. */
const LONGEST_RETRY_AFTER_S = 60;

const DEFAULTS = { url: 'http://127.0.0.1:8787', retries: 3, timeoutMs: 70_000 };

/** Sends requests, and sends them again where that is safe and may help. */
export class Transport {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * The answer, whose body `read` reads within the time of the try. Throws ProblemError for an answer
   * that is no success, ConnectionError, TimeoutError, and the reason of the signal.
   */
  async send<T>(
    order: Order,
    { signal, ...call }: Pick<CallOptions, 'signal' | 'timeoutMs' | 'retries'>,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const most = call.retries ?? this.#options.retries ?? DEFAULTS.retries;
    const timeoutMs = call.timeoutMs ?? this.#options.timeoutMs ?? DEFAULTS.timeoutMs;
    for (let tries = 0; ; tries++) {
      signal?.throwIfAborted();
      const outcome = await this.#try(order, timeoutMs, signal, read);
      if (outcome.ok) return outcome.value;
      const { error } = outcome;
      const wait = waitBefore(tries, outcome, order);
      if (tries >= most || wait === null) throw error;
      await pause(wait, signal);
    }
  }

  /** Opens a stream: no time-out but for the answer to begin, no second try. */
  async open(order: Order, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(order, signal);
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  async #try<T>(
    order: Order,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<Outcome<T>> {
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), timeoutMs);
    const ended = signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal]);
    try {
      const response = await this.#fetch(order, ended);
      if (response.ok) return { ok: true, value: await read(response) };
      return { ok: false, status: response.status, error: await problemOf(response) };
    } catch (cause) {
      signal?.throwIfAborted();
      const error = timer.signal.aborted
        ? new TimeoutError(`no answer within ${timeoutMs} ms from ${order.path}`, { cause })
        : new ConnectionError(`no whole answer from ${order.path}: ${reasonOf(cause)}`, { cause });
      return { ok: false, status: null, error };
    } finally {
      clearTimeout(timeout);
    }
  }

  async #fetch({ method, path, headers, body }: Order, signal: AbortSignal): Promise<Response> {
    const { url = DEFAULTS.url, key, fetch = globalThis.fetch } = this.#options;
    const request = new Request(`${url.replace(/\/+$/, '')}${path}`, {
      method,
      headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      signal,
      ...(body !== undefined && { body }),
    });
    return fetch(request);
  }
}

type Failure =
  | { ok: false; status: number; error: ProblemError }
  | { ok: false; status: null; error: ConnectionError | TimeoutError };
type Outcome<T> = { ok: true; value: T } | Failure;

/** Milliseconds until the next try; null: there is to be none. */
function waitBefore(tries: number, failure: Failure, { isRepeatable }: Order): number | null {
  if (failure.status === null) return isRepeatable ? backoff(tries) : null;
  if (!TRANSIENT.has(failure.status)) return null;
  if (!isRepeatable && !UNTOUCHED.has(failure.status)) return null;
  const { retryAfter } = failure.error;
  if (retryAfter === null) return backoff(tries);
  return retryAfter > LONGEST_RETRY_AFTER_S ? null : retryAfter * 1000;
}

/** Twice as long each time, and not all clients at once. */
export function backoff(tries: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries) * (0.5 + Math.random() / 2);
}

/** Throws the reason of the signal when that ends the wait. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', stopped, { once: true });
    function done() {
      signal?.removeEventListener('abort', stopped);
      resolve();
    }
    function stopped() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
