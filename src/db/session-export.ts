import { z } from 'zod';
import { EXPORT_TYPE, EXPORT_VERSION } from '../app/export-format.ts';
import {
  type EventRow,
  eventRowSchema,
  type RestoredSession,
  type SessionRef,
} from '../app/ports/event-store.ts';
import { IN_PLAIN_WORDS } from '../domain/issue-words.ts';
import { jsonObjectSchema } from '../domain/json.ts';
import { eventHash, FIRST_PREVIOUS_HASH } from './event-codec.ts';
import { jsonOf } from './json-of.ts';
import { Replay } from './replay.ts';

const headerSchema = z.object({
  type: z.literal(EXPORT_TYPE),
  export_version: z.int(),
  tenant: z.string(),
  session_id: z.string(),
  events: z.int().min(1),
});

/** Not `z.json()`: that makes objects anew, without a key `__proto__`, and they no longer fit their hash. */
const rowSchema = eventRowSchema.extend({ data: jsonObjectSchema });

/** An export that cannot be restored; the message names the line. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}

type SessionExport = {
  ref: SessionRef;
  rows: EventRow[];
  /** What follows from the events. */
  projections: Omit<RestoredSession, 'rows'>;
};

/** Whether a file is an export, by its first line. */
export function isExport(text: string): boolean {
  const [first = ''] = text.slice(0, 10_000).split('\n', 1);
  return first.includes(`"${EXPORT_TYPE}"`) && headerOf(first) !== null;
}

/**
 * The session of an export. Every line is checked against the hash chain and against what may follow
 * what. Throws ExportError for a file that is damaged, cut off, edited, or of a newer release.
 */
export function readExport(text: string): SessionExport {
  const reading = readingExport(text);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/** The same, line by line: whoever reads may let others work in between. */
export function* readingExport(text: string): Generator<undefined, SessionExport> {
  const lines = text.split('\n');
  const header = headerOf(lines[0] ?? '');
  if (header === null) throw new ExportError('line 1: not the first line of an export');
  if (header.export_version !== EXPORT_VERSION) {
    throw new ExportError(
      `line 1: the export has version ${header.export_version}, this release reads ` +
        `${EXPORT_VERSION}: import it with the release that wrote it, or a newer one`,
    );
  }
  const { tenant, session_id, events } = header;
  const ref = { tenant, session_id };
  const replay = new Replay(ref);
  const rows: EventRow[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue;
    const row = rowOf(line, index + 1);
    replay.add(row);
    const [problem] = replay.problems;
    if (problem !== undefined) throw new ExportError(`line ${index + 1}: ${problem}`);
    rows.push(row);
    yield;
  }
  if (rows.length !== events) {
    throw new ExportError(
      `line ${lines.length}: the file holds ${rows.length} of the session's ${events} events: ` +
        'export the session again',
    );
  }
  const { projections } = replay;
  // Each has been seen to follow the one before.
  if (projections === null) throw new ExportError('the export holds no events');
  return { ref, rows, projections };
}

/** The session as it is to stand under `ref`: an id or a tenant of its own needs other hashes. */
export function restoredAs(
  { rows }: Pick<SessionExport, 'rows'>,
  ref: SessionRef,
): RestoredSession {
  const replay = new Replay(ref);
  const chained: EventRow[] = [];
  let previous = FIRST_PREVIOUS_HASH;
  for (const row of rows) {
    previous = eventHash(previous, ref, row);
    const own = { ...row, hash: previous };
    chained.push(own);
    replay.add(own);
  }
  const { projections } = replay;
  // `readExport` has seen that the events follow each other.
  if (projections === null) throw new ExportError('the export holds no events');
  return { rows: chained, ...projections };
}

function headerOf(line: string): z.infer<typeof headerSchema> | null {
  return headerSchema.safeParse(jsonOf(line)).data ?? null;
}

function rowOf(line: string, number: number): EventRow {
  const json = jsonOf(line);
  if (json === undefined) throw new ExportError(`line ${number}: not valid JSON`);
  const parsed = rowSchema.safeParse(json, IN_PLAIN_WORDS);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ExportError(`line ${number}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return { ...parsed.data, data: JSON.stringify(parsed.data.data) };
}
