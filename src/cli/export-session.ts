import { once } from 'node:events';
import type { EventStore, SessionRef } from '../app/ports/event-store.ts';
import { StoreTroubleError } from '../app/ports/store-trouble-error.ts';
import { exportHeader, exportLine } from '../db/session-export.ts';
import { rolloutWriter } from '../domain/session/rollout.ts';
import { openExistingStore } from './existing-store.ts';

/** What is read at once: so many events, and fewer when they are large. */
const PAGE = 500;
const PART_BYTES = 1_000_000;

export type ExportFlags = { tenant: string; rollout?: boolean };

/**
 * Writes a session of the store to stdout: all of its events, which `import` makes the same session
 * of, or its audit trail. False when there is none of this id. Throws when it cannot be read to its
 * end, also because it is erased meanwhile.
 */
export async function exportCommand(sessionId: string, flags: ExportFlags): Promise<boolean> {
  const store = await openExistingStore();
  const ref = { tenant: flags.tenant, session_id: sessionId };
  try {
    const head = await store.head(ref);
    if (head === null) return false;
    const { version } = head.state;
    if (flags.rollout) await writeRollout(store, ref, version);
    else await writeExport(store, ref, version);
    return true;
  } catch (error) {
    if (!(error instanceof StoreTroubleError)) throw error;
    throw new Error(`session "${sessionId}" cannot be exported in full: ${error.message}`, {
      cause: error,
    });
  } finally {
    await store.close();
  }
}

/** Up to the version that the first line names: others may append meanwhile. */
async function writeExport(store: EventStore, ref: SessionRef, version: number): Promise<void> {
  await writeLine(exportHeader(ref, version));
  for (let after = 0; after < version; ) {
    const rows = await store.rows(ref, {
      after,
      limit: Math.min(PAGE, version - after),
      max_bytes: PART_BYTES,
    });
    if (rows.length === 0) throw erased(ref);
    for (const row of rows) await writeLine(exportLine(row));
    after += rows.length;
  }
}

async function writeRollout(store: EventStore, ref: SessionRef, version: number): Promise<void> {
  const recordsOf = rolloutWriter(ref.session_id);
  for (let after = 0; after < version; ) {
    const events = await store.events(ref, {
      after,
      up_to: version,
      limit: PAGE,
      max_bytes: PART_BYTES,
    });
    for (const record of events.flatMap(recordsOf)) await writeLine(JSON.stringify(record));
    const last = events.at(-1);
    if (last === undefined) throw erased(ref);
    after = last.version;
  }
}

function erased({ session_id }: SessionRef): Error {
  return new Error(
    `session "${session_id}" was erased while it was exported: what was written so far is incomplete`,
  );
}

/** Waits for whoever reads: what is not read yet would stay in memory. */
async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}
