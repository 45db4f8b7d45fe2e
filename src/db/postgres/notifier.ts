import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { z } from 'zod';
import { jsonOf } from '../json-of.ts';
import type { Listeners } from '../listeners.ts';
import { clientsOf, type Hosts } from './hosts.ts';
import { connectionConfig } from './open-pool.ts';
import { sqlStateOf } from './store-error.ts';

const CHANNEL = 'palimpsest_commits';

/** PostgreSQL refuses a payload of 8,000 bytes or more. */
const MOST_PAYLOAD_BYTES = 7_999;

/** In the long run one notification in so many milliseconds; what comes meanwhile shares the next. */
const GATHER_MS = 10;
/**
 * So many may follow each other at once: the start and the end of a short compaction, which somebody
 * waits for, come within a few milliseconds.
 */
const BURST = 5;

/** A word that says nothing of which session is passed on at most this often: each listener looks then. */
const ALL_EVERY_MS = 100;

/** For a server that has gone without a word. */
const ANSWER_TIMEOUT_MS = 5_000;

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

const payloadSchema = z.object({ from: z.string(), keys: z.array(z.string()) });

/**
 * Tells the other processes on the database which sessions were written to, and wakes the listeners
 * of this one when they tell it. One connection of its own does both.
 *
 * Notifications are sent after the commits and not inside of them: a transaction that notifies takes
 * a lock on the whole database until its commit is done, so that all appends would run one after the
 * other. What is lost when a process or a connection breaks is not sent again; whoever waits looks
 * at the store from time to time anyway.
 */
export class Notifier {
  readonly #hosts: Hosts;
  readonly #listeners: Listeners;
  readonly #onError: (error: unknown) => void;
  /** Says which notifications are our own. */
  readonly #from = randomUUID();
  readonly #closing = new AbortController();
  /** Null while there is no connection. */
  #client: Client | null = null;
  readonly #unsent = new Set<string>();
  /** Null while nothing is sent. */
  #sending: Promise<void> | null = null;
  /** Notifications that may still go out without a pause. */
  #allowance = BURST;
  #sentAt = performance.now();
  /** Null while all listeners have been told. */
  #tellingAll: NodeJS.Timeout | null = null;

  constructor(hosts: Hosts, listeners: Listeners, onError: (error: unknown) => void) {
    this.#hosts = hosts;
    this.#listeners = listeners;
    this.#onError = onError;
  }

  /** Begins to listen. Throws when the server cannot be reached; later it tries again by itself. */
  async start(): Promise<void> {
    const client = new (clientsOf(this.#hosts))({
      ...connectionConfig(this.#hosts),
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The server closed the connection.')));
    client.on('notification', ({ payload }) => this.#heard(payload));
    try {
      await client.connect();
      // The lock of a notification must not wait for the disk; nothing else is written here.
      await client.query(`SET synchronous_commit = off; LISTEN ${CHANNEL}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    if (this.#closing.signal.aborted) await client.end();
    else this.#client = client;
  }

  /** Tells the other processes soon that the session was written to. */
  announce(key: string): void {
    if (this.#client === null) return;
    this.#unsent.add(key);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
  }

  /** Sends what is not sent yet, and stops listening. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#tellingAll !== null) clearTimeout(this.#tellingAll);
    await this.#sending;
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  async #send(): Promise<void> {
    for (let client = this.#client; client && this.#unsent.size > 0; client = this.#client) {
      const payloads = this.#payloads(this.#unsent);
      this.#unsent.clear();
      try {
        await client.query({
          name: 'notify',
          text: `SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`,
          values: [payloads],
        });
      } catch (error) {
        if (sqlStateOf(error) === null) this.#lost(client, error);
        else this.#onError(error);
      }
      const wait = this.#waitAfterSending();
      if (wait > 0 && !this.#closing.signal.aborted) await sleep(wait, undefined, { ref: false });
    }
  }

  /** How long to gather before the next notification, in milliseconds. */
  #waitAfterSending(): number {
    const now = performance.now();
    const regained = (now - this.#sentAt) / GATHER_MS;
    this.#sentAt = now;
    this.#allowance = Math.min(BURST, this.#allowance + regained) - 1;
    return Math.max(0, -this.#allowance) * GATHER_MS;
  }

  /** As few payloads as hold the keys. A key that fits in none is left out: it is a hint only. */
  #payloads(keys: Iterable<string>): string[] {
    const payloads: string[] = [];
    let gathered: string[] = [];
    for (const key of keys) {
      if (this.#fits([...gathered, key])) {
        gathered.push(key);
      } else {
        if (gathered.length > 0) payloads.push(this.#payload(gathered));
        gathered = this.#fits([key]) ? [key] : [];
      }
    }
    if (gathered.length > 0) payloads.push(this.#payload(gathered));
    return payloads;
  }

  #payload(keys: string[]): string {
    return JSON.stringify({ from: this.#from, keys });
  }

  #fits(keys: string[]): boolean {
    return Buffer.byteLength(this.#payload(keys)) <= MOST_PAYLOAD_BYTES;
  }

  #heard(payload: string | undefined): void {
    if (this.#listeners.isEmpty) return;
    // A release that knows another payload may share the database.
    const { data } = payloadSchema.safeParse(jsonOf(payload ?? ''));
    if (!data) this.#tellAllSoon();
    else if (data.from !== this.#from) for (const key of data.keys) this.#listeners.notify(key);
  }

  /** Whoever may connect to the database can say anything here, as often as it likes. */
  #tellAllSoon(): void {
    if (this.#closing.signal.aborted) return;
    this.#tellingAll ??= setTimeout(() => {
      this.#tellingAll = null;
      this.#listeners.notifyAll();
    }, ALL_EVERY_MS).unref();
  }

  #lost(client: Client, error: unknown): void {
    if (client !== this.#client) return;
    this.#client = null;
    this.#unsent.clear();
    void client.end();
    this.#onError(error);
    void this.#startAgain();
  }

  async #startAgain(): Promise<void> {
    const { signal } = this.#closing;
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
      try {
        await sleep(wait, undefined, { signal, ref: false });
        await this.start();
        break;
      } catch {
        // That the connection is gone has been told; it goes on until it is back.
        if (signal.aborted) return;
      }
    }
    // Nobody knows what was written meanwhile.
    this.#listeners.notifyAll();
  }
}
