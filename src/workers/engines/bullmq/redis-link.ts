import type { Redis } from 'ioredis';
import { QueueUnavailableError } from './queue-unavailable-error.ts';
import type { RedisClients } from './redis-clients.ts';

/** Nobody who hands a job over waits longer than this for Redis. */
const PATIENCE_MS = 2000;

type State =
  | { kind: 'connecting' }
  | { kind: 'up' }
  | { kind: 'down'; error: QueueUnavailableError };

/**
 * The connection that hands jobs over, and the judge of whether Redis can be reached. It fails fast
 * instead of queueing commands. `onDown` is called once per outage, `onUp` once at its end; a first
 * connection that succeeds at once calls neither.
 */
export class RedisLink {
  readonly client: Redis;
  readonly #address: string;
  readonly #onDown: (error: QueueUnavailableError) => void;
  readonly #onUp: () => void;
  #state: State = { kind: 'connecting' };
  #isClosed = false;
  #waiting: (() => void)[] = [];

  constructor(
    clients: RedisClients,
    tell: { onDown: (error: QueueUnavailableError) => void; onUp: () => void },
  ) {
    this.#address = clients.address;
    this.#onDown = tell.onDown;
    this.#onUp = tell.onUp;
    this.client = clients.open(
      { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2 * PATIENCE_MS },
      (error) => this.#fell(error),
    );
    this.client.on('ready', () => this.#rose());
    this.client.on('close', () => this.#fell(new Error('the connection was closed')));
  }

  get isUp(): boolean {
    return this.#state.kind === 'up';
  }

  /** What `work` answers, within two seconds. Throws QueueUnavailableError for all that goes wrong. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`no answer within ${PATIENCE_MS} ms`);
        reject(error);
        // Frozen, or gone without a word: only a new connection can tell when it is back.
        if (this.isUp) this.client.disconnect(true);
        this.#fell(error);
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([this.#connected().then(work), late]);
    } catch (error) {
      throw this.#explained(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it; the connection itself is cut by the owner of all of them. */
  close(): void {
    this.#isClosed = true;
    const error = this.#explained(new Error('the engine was stopped'));
    this.#become({ kind: 'down', error });
  }

  async #connected(): Promise<void> {
    if (this.#state.kind === 'connecting') {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#state.kind === 'down') throw this.#state.error;
  }

  #rose(): void {
    if (this.#isClosed) return;
    const { kind } = this.#state;
    this.#become({ kind: 'up' });
    if (kind === 'down') this.#onUp();
  }

  #fell(error: Error): void {
    if (this.#isClosed || this.#state.kind === 'down') return;
    const explained = this.#explained(error);
    this.#become({ kind: 'down', error: explained });
    this.#onDown(explained);
  }

  #become(state: State): void {
    this.#state = state;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #explained(error: unknown): QueueUnavailableError {
    if (error instanceof QueueUnavailableError) return error;
    return new QueueUnavailableError(this.#address, whyOf(error));
  }
}

/** Not the error itself: what ioredis throws carries the arguments of the command, such as a password. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // Several addresses that all refuse make an error without a text.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code || error.name;
}
