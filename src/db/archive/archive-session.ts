import { type Archive, ArchiveError, type IdleSession } from '../../app/ports/archive.ts';
import type { SearchableStore } from '../../app/ports/search-index.ts';
import { pack, unpack } from './archive-file.ts';
import { isUnchanged } from './is-unchanged.ts';

/** Bytes of the file; null when the session was left as it is: it has changed, or is too large. */
export type Archived = { bytes: number } | null;

/**
 * Puts the events of a session into the archive, and deletes them from the store when the archive has
 * answered with what restores all of them. Whatever is killed when, they are in one of both. Throws
 * ArchiveError, with nothing changed, when the archive does not take or give back the file.
 */
export async function archiveSession(
  store: SearchableStore,
  archive: Archive,
  session: IdleSession,
): Promise<Archived> {
  const packed = await pack(store, session);
  if (packed === null) return null;
  const { name, bytes } = packed;
  const at = new Date().toISOString();
  await archive.prepare();
  await store.archived.begin(session, { name, bytes: bytes.length, at });
  try {
    await archive.write(name, bytes);
    const written = await archive.read(name, bytes.length);
    if (written === null) throw new ArchiveError('missing');
    await unpack(written, name, session);
  } catch (error) {
    await giveUp(store, archive, name);
    // Who erases a session removes its files, this one too.
    const isMissing = error instanceof ArchiveError && error.kind === 'missing';
    if (isMissing && !(await isUnchanged(store.archived, session))) return null;
    throw error;
  }
  // Where nobody knows whether this was done, the file stays: the next sweep looks.
  if (await store.archived.drop(session, name)) return { bytes: bytes.length };
  await giveUp(store, archive, name);
  return null;
}

async function giveUp({ archived }: SearchableStore, archive: Archive, file: string) {
  await archived.giveUp(file);
  try {
    await archive.remove(file);
    await archived.forget(file);
  } catch (error) {
    // The next sweep removes it.
    if (!(error instanceof ArchiveError)) throw error;
  }
}
