import { z } from 'zod';
import type { EventStore, SessionRef } from '../app/ports/event-store.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';

const id = z.string().min(1).max(200).optional().catch(undefined);
/** Of Codex; what else clients put there is of no use for this. */
const metaSchema = z.object({ threadId: id, sessionId: id }).catch({});

/**
 * The session that a call is about: that of the URL, else the first of those that Codex names in `_meta`
 * and the tenant has. It identifies, it never authorises. Rejects: session_not_found.
 */
export async function sessionOf(
  store: EventStore,
  tenant: string,
  session_id: string | null,
  meta: unknown,
): Promise<Outcome<SessionRef>> {
  const { threadId, sessionId } = metaSchema.parse(meta ?? {});
  const named = session_id === null ? [threadId, sessionId] : [session_id];
  for (const one of named) {
    if (one === undefined) continue;
    const ref = { tenant, session_id: one };
    if ((await store.head(ref)) !== null) return accept(ref);
  }
  return reject('session_not_found', session_id === null ? NO_SESSION : noSuch(session_id));
}

const NO_SESSION =
  'it is not known which session this is: nothing that the client sends names one. Ask the user to set ' +
  'the address of this MCP server to …/mcp/SESSION_ID';

function noSuch(session_id: string): string {
  return (
    `there is no session "${session_id}" yet: ask the user to check the end of the address of this MCP ` +
    'server, or go on, since a session begins with its first items'
  );
}
