import { byPlace } from '../app/by-place.ts';
import { expiredSessions } from '../app/expired-sessions.ts';
import { ArchiveError, type SizedSession } from '../app/ports/archive.ts';
import type { SearchableStore } from '../app/ports/search-index.ts';
import { SettingsError } from '../config/settings-error.ts';
import { openExistingStore } from './existing-store.ts';
import { quantity } from './quantity.ts';
import { stopped } from './stopped.ts';
import { plainText } from './terminal/plain-text.ts';
import { kilobytes } from './words.ts';

export type RetentionFlags = { tenant: string; days?: number; bytes?: number; erase?: boolean };

const SESSIONS_AT_A_TIME = 500;
const DAY_MS = 86_400_000;

/**
 * Prints the sessions of a tenant that are too old or too much, and erases them where it is told to. False
 * when it was stopped, or the archive that has one of them cannot be reached.
 */
export async function retentionCommand(flags: RetentionFlags): Promise<boolean> {
  const { tenant, days, bytes, erase = false } = flags;
  if (days === undefined && bytes === undefined) {
    throw new SettingsError('say what may stay: --days N, --bytes N, or both');
  }
  const stop = stopped();
  const store = await openExistingStore();
  try {
    const now = new Date();
    const before = new Date(now.getTime() - (days ?? 0) * DAY_MS).toISOString();
    const sessions = await sizesOf(store, tenant);
    const expired = expiredSessions(sessions, {
      ...(days !== undefined && { before }),
      ...(bytes !== undefined && { bytes }),
    });
    const gone: SizedSession[] = [];
    for (const session of expired) {
      if (stop.aborted) break;
      if (erase && !(await store.archived.eraseUnchanged(session))) continue;
      gone.push(session);
      console.log(plainText(lineOf(session)));
    }
    console.log(plainText(`${erase ? 'erased' : 'would be erased'}: ${sumOf(gone)} of ${tenant}`));
    if (!erase && gone.length > 0) console.log('--erase erases them');
    const ahead = sessions.filter(({ updated_at }) => updated_at > now.toISOString()).length;
    if (ahead > 0) {
      console.log(
        `by its times written to after now, so that it counts as new: ${quantity(ahead, 'session')}`,
      );
    }
    return !stop.aborted;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    console.error(plainText(`stopped: ${error.message}`));
    return false;
  } finally {
    await store.close();
  }
}

async function sizesOf(store: SearchableStore, tenant: string): Promise<SizedSession[]> {
  const sessions: SizedSession[] = [];
  const page = (after: number) =>
    store.archived.sizes({ tenant, after, limit: SESSIONS_AT_A_TIME });
  for await (const session of byPlace(page)) sessions.push(session);
  return sessions;
}

function lineOf({ ref, updated_at, bytes }: SizedSession): string {
  return `${ref.session_id}  ${updated_at.slice(0, 'YYYY-MM-DD'.length)}  ${kilobytes(bytes)}`;
}

function sumOf(sessions: readonly SizedSession[]): string {
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  return `${quantity(sessions.length, 'session')}, ${kilobytes(bytes)}`;
}
