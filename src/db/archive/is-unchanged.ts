import type { ArchivedSessions, IdleSession } from '../../app/ports/archive.ts';

/** Whether the session is as it was found: nothing was written to it, and it was not erased. */
export async function isUnchanged(
  archived: Pick<ArchivedSessions, 'sizes'>,
  { ref, place, version, hash }: IdleSession,
): Promise<boolean> {
  const [now] = await archived.sizes({ tenant: ref.tenant, after: place - 1, limit: 1 });
  return now?.place === place && now.version === version && now.hash === hash;
}
