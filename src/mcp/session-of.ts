import { z } from 'zod';
import { callKey, threadKey } from '../app/gateway/caller-keys.ts';
import { notedSoon } from '../app/gateway/noted-soon.ts';
import type { SessionRef } from '../app/ports/event-store.ts';
import type { Ports } from '../app/ports/ports.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';

const id = z.string().min(1).max(200).optional().catch(undefined);
/** The first two are of Codex, the last is of Claude Code; what else clients put there names no session. */
const metaSchema = z.object({ threadId: id, sessionId: id, 'claudecode/toolUseId': id }).catch({});

/** The answer that makes a call has ended before the call comes, but need not be written down yet. */
const RECORDING_MS = 3_000;

type Asked = { tenant: string; session_id: string | null; signal: AbortSignal };

/**
 * The session that a call is about: that of the URL, else the one that its `_meta` leads to. It
 * identifies, it never authorises, and a call that names none never means the newest. Rejects:
 * session_not_found.
 */
export async function sessionOf(
  store: Ports['store'],
  asked: Asked,
  meta: unknown,
): Promise<Outcome<SessionRef>> {
  const { tenant, session_id } = asked;
  if (session_id !== null) {
    const ref = { tenant, session_id };
    if ((await store.head(ref)) !== null) return accept(ref);
    return reject('session_not_found', noSuch(session_id));
  }
  const found = await sessionOfMeta(store, asked, meta);
  return found === null ? reject('session_not_found', NO_SESSION) : accept(found);
}

async function sessionOfMeta(
  store: Ports['store'],
  { tenant, signal }: Asked,
  meta: unknown,
): Promise<SessionRef | null> {
  const { threadId, sessionId, 'claudecode/toolUseId': call } = metaSchema.parse(meta ?? {});
  const threads = [threadId, sessionId].filter((name) => name !== undefined);
  const keys = [...threads.map(threadKey), ...(call === undefined ? [] : [callKey(call)])];
  for (const session_id of threads) {
    const ref = { tenant, session_id };
    if ((await store.head(ref)) !== null) return ref;
  }
  const session_id = await notedSoon(store, tenant, keys, { ms: RECORDING_MS, signal });
  return session_id === null ? null : { tenant, session_id };
}

const NO_SESSION =
  'it is not known which session this is: nothing that the client sends names one that is known here. ' +
  'Ask the user to set the address of this MCP server to …/mcp/SESSION_ID';

function noSuch(session_id: string): string {
  return (
    `there is no session "${session_id}" yet: ask the user to check the end of the address of this MCP ` +
    'server, or go on, since a session begins with its first items'
  );
}
