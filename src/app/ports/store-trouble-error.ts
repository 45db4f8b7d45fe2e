import { StoreBusyError } from './store-busy-error.ts';

const WORDS = {
  full: 'The disk of the event store is full; nothing was written. Free some space: the service goes on by itself then.',
  read_only:
    'The event store can only be read; nothing was written. Make its file, folder and file system (or its server) writable: the service goes on by itself then.',
  damaged:
    'A part of the event store is damaged and cannot be read. `palimpsest verify` names the sessions: restore them from a backup.',
};

/** The store answers, but its disk is full, read-only or damaged: an operator has to do something. */
export class StoreTroubleError extends Error {
  override readonly name = 'StoreTroubleError';
  readonly kind: keyof typeof WORDS;

  /** `message`: where more has come of it than nothing. */
  constructor(kind: keyof typeof WORDS, cause: unknown, message: string = WORDS[kind]) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Whether a part of the store cannot be read, which is no reason to stop work on the other parts. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreTroubleError && error.kind === 'damaged';
}

/** Whether the store could not be written to now: disk full, read-only, or another writer. Reads go on. */
export function isUnwritable(error: unknown): boolean {
  if (error instanceof StoreBusyError) return true;
  return error instanceof StoreTroubleError && error.kind !== 'damaged';
}
