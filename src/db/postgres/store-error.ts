import { DatabaseError } from 'pg';
import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../../app/ports/store-unavailable-error.ts';

/** Operating system errors of a connection that cannot be made or has broken. */
const NETWORK = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT', // no socket file: nobody listens there
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** The driver says these without a code. */
const DRIVER =
  /^(?:Connection terminated|timeout e|Query read timeout|Client (?:has encountered|was closed))/;

/**
 * Connection trouble; the server stops, starts, lets nobody in or has no room;
 * the database is gone. Nothing that a client did: all of it needs an operator, or time.
 */
const SERVER_AWAY = /^(?:08...|25P03|28...|3D000|42P01|53...|55000|57P0[1-5]|58...)$/;

/** disk_full, read_only_sql_transaction, data_corrupted and index_corrupted. */
const TROUBLE = new Map<string, StoreTroubleError['kind']>([
  ['53100', 'full'],
  ['25006', 'read_only'],
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
]);

/** Deadlocks and serialisation failures that were retried in vain, lock and statement time-outs. */
const BUSY = /^(?:40001|40P01|55P03|57014)$/;

/** The five letters of an error that the server reported; null for all others. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null;
}

/** True when a transaction that failed so may succeed when it is run again. */
export function isWorthRetrying(error: unknown): boolean {
  const state = sqlStateOf(error);
  // Two creators of one session: the second finds the first one's when it looks again.
  return state === '40001' || state === '40P01' || state === '23505';
}

/**
 * The store's own error for what the driver threw, where it has one. For all that happens before a
 * COMMIT is sent, and for reads.
 */
export function asStoreError(error: unknown): unknown {
  const state = sqlStateOf(error);
  const trouble = state === null ? undefined : TROUBLE.get(state);
  if (trouble !== undefined) return new StoreTroubleError(trouble, error);
  if (isAway(error)) return new StoreUnavailableError('not_written', error);
  return state !== null && BUSY.test(state) ? new StoreBusyError(error) : error;
}

/**
 * What a COMMIT under way threw: the server may have done it before it went. All else is left as it
 * is, for whoever decides whether to run the transaction again.
 */
export function asCommitError(error: unknown): unknown {
  return isAway(error) ? new StoreUnavailableError('unknown', error) : error;
}

function isAway(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== null) return SERVER_AWAY.test(state);
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return NETWORK.has(error.code);
  return DRIVER.test(error.message);
}

/** Rejects with the store's own errors in place of the driver's. */
export async function storeErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asStoreError(error);
  }
}
