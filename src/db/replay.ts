import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type {
  CompactionRow,
  EventRow,
  RestoredSession,
  SessionRef,
} from '../app/ports/event-store.ts';
import { StoreTroubleError } from '../app/ports/store-trouble-error.ts';
import type { LedgerCheck } from '../domain/context/ledger-check.ts';
import { errorMessage } from '../domain/error-message.ts';
import { eventSchemas, type SessionEvent } from '../domain/session/events.ts';
import { evolve } from '../domain/session/evolve.ts';
import { type Head, wakeAtMs } from '../domain/session/head.ts';
import { decodeEvent, eventHash, FIRST_PREVIOUS_HASH } from './event-codec.ts';
import { project } from './projection.ts';
import { parseHead, type SessionRow } from './session-row.ts';

type Projections = Omit<RestoredSession, 'rows'>;

/**
 * Recomputes one session from its event rows, oldest first: hash chain, head, compactions. What is
 * wrong is collected as one sentence each and not thrown, so that one damaged row does not hide
 * another.
 */
export class Replay {
  readonly problems: string[] = [];
  version = 0;
  hash = FIRST_PREVIOUS_HASH;
  /** How many events were added. */
  events = 0;
  readonly #ref: SessionRef;
  readonly #compactions = new Map<string, CompactionRow>();
  #head: Head | null = null;
  #isFoldable = true;
  readonly #ledgers: LedgerCheck | null;

  /** `ledgers`: null where nobody asks whether those that compactions have stored are right. */
  constructor(ref: SessionRef, ledgers: LedgerCheck | null = null) {
    this.#ref = ref;
    this.#ledgers = ledgers;
  }

  /** What follows from the events; null when one of them could not follow the one before. */
  get projections(): Projections | null {
    if (!this.#isFoldable || this.#head === null) return null;
    return { head: this.#head, hash: this.hash, compactions: [...this.#compactions.values()] };
  }

  add(row: EventRow): void {
    const expected = this.version + 1;
    if (row.version !== expected) {
      this.#isFoldable = false;
      this.#problem(`version ${row.version} stands where version ${expected} is expected`);
    } else if (eventHash(this.hash, this.#ref, row) !== row.hash) {
      this.#problem(`version ${row.version} (${row.type}) does not match its hash: it was changed`);
    }
    // Goes on from the stored values: each damaged place is reported once, not all that follow it.
    this.version = row.version;
    this.hash = row.hash;
    this.events += 1;
    this.#fold(row);
  }

  /** Call it when the store cannot read the events that come next. */
  cannotBeRead(error: unknown): void {
    this.#isFoldable = false;
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    this.#problem(
      `the events after version ${this.version} cannot be read${code}: restore them from a backup`,
    );
  }

  /** Compares with what the store keeps; call it after the last event. */
  compare(stored: SessionRow, compactions: readonly CompactionRow[]): void {
    if (stored.archive_file !== null) {
      if (this.events > 0)
        this.#problem('it is in the archive, and has events in the store as well');
      return;
    }
    if (stored.version !== this.version) {
      this.#problem(
        `the session's row is at version ${stored.version}, its log at ${this.version}`,
      );
    } else if (stored.hash !== this.hash) {
      this.#problem(
        `the session's row has a different hash from its last event, version ${this.version}`,
      );
    }
    const { projections } = this;
    if (projections === null) {
      this.#problem('head and compactions could not be recomputed from a damaged log');
      return;
    }
    this.#compareHead(stored, projections.head);
    const wakeAt = wakeAtMs(projections.head.state);
    if (stored.wake_at_ms !== wakeAt) {
      this.#problem(`the session's row wakes it at ${stored.wake_at_ms}, its log at ${wakeAt}`);
    }
    this.#compareCompactions(compactions);
  }

  #fold(row: EventRow): void {
    let event: SessionEvent;
    let issue: z.core.$ZodIssue | undefined;
    try {
      event = decodeEvent(row);
      // Reads the ledger as well, which may be what is damaged.
      issue = eventSchemas[event.type].safeParse(event.data).error?.issues[0];
    } catch (error) {
      this.#isFoldable = false;
      this.#problem(`version ${row.version} cannot be read: ${messageOf(error)}`);
      return;
    }
    if (issue) {
      const path = ['data', ...issue.path].join('.');
      this.#problem(
        `version ${row.version} (${row.type}) has a wrong shape at ${path}: ${issue.message}`,
      );
      this.#isFoldable = false;
    }
    if (!this.#isFoldable) return;
    try {
      this.#head = evolve(this.#head, event);
    } catch (error) {
      this.#isFoldable = false;
      this.#problem(`version ${row.version} (${row.type}) cannot follow: ${messageOf(error)}`);
      return;
    }
    project(this.#compactions, event);
    if (this.#ledgers?.add(event) === false) {
      this.#problem(`the ledger of version ${row.version} is not what the items before it say`);
    }
  }

  #compareHead(stored: SessionRow, computed: Head): void {
    let head: Head;
    try {
      head = parseHead(stored);
    } catch (error) {
      this.#problem(
        `the stored head cannot be read (${messageOf(error)}): "palimpsest verify --rebuild" writes it anew`,
      );
      return;
    }
    for (const part of ['settings', 'state'] as const) {
      const differing = differingFields(head[part], computed[part]);
      if (differing.length > 0) {
        const verb = part === 'state' ? 'differs' : 'differ';
        this.#problem(`the stored ${part} ${verb} from the log in ${differing.join(', ')}`);
      }
    }
  }

  #compareCompactions(stored: readonly CompactionRow[]): void {
    const left = new Map(this.#compactions);
    for (const row of stored) {
      const computed = left.get(row.id);
      left.delete(row.id);
      if (!computed) {
        this.#problem(`the compaction ${row.id} is stored but not in the log`);
        continue;
      }
      const differing = differingFields(row, computed);
      if (differing.length > 0) {
        this.#problem(`the compaction ${row.id} differs from the log in ${differing.join(', ')}`);
      }
    }
    for (const id of left.keys())
      this.#problem(`the compaction ${id} is in the log but not stored`);
  }

  #problem(what: string): void {
    this.problems.push(
      `Session "${this.#ref.session_id}" of tenant "${this.#ref.tenant}": ${what}.`,
    );
  }
}

/** The names of the fields that are not deep-equal as JSON. */
function differingFields(stored: object, computed: object): string[] {
  // What was computed never was text: drop what JSON would have dropped.
  const fresh: object = JSON.parse(JSON.stringify(computed));
  const names = new Set([...Object.keys(stored), ...Object.keys(fresh)]);
  return [...names].filter((name) => !isDeepStrictEqual(field(stored, name), field(fresh, name)));
}

function field(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value;
}

function messageOf(error: unknown): string {
  // What an operator is to do about damage stands elsewhere: here is asked what it is.
  return errorMessage(error instanceof StoreTroubleError ? error.cause : error);
}
