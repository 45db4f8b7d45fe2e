import { once } from 'node:events';
import { StoreTroubleError } from '../app/ports/store-trouble-error.ts';
import { rolloutParts } from '../app/session-parts.ts';
import { exportParts } from '../db/export-parts.ts';
import { openExistingStore } from './existing-store.ts';

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
    let written = 0;
    for await (const part of (flags.rollout ? rolloutParts : exportParts)(store, ref, version)) {
      // Waits for whoever reads: what is not read yet would stay in memory.
      if (!process.stdout.write(part.text)) await once(process.stdout, 'drain');
      written = part.version;
    }
    if (written === version) return true;
  } catch (error) {
    if (!(error instanceof StoreTroubleError)) throw error;
    throw new Error(`session "${sessionId}" cannot be exported in full: ${error.message}`, {
      cause: error,
    });
  } finally {
    await store.close();
  }
  throw new Error(
    `session "${sessionId}" was erased while it was exported: what was written so far is incomplete`,
  );
}
