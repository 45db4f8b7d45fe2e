import { z } from 'zod';
import { threadKey } from '../app/gateway/caller-keys.ts';
import { soon } from '../app/gateway/noted-soon.ts';
import type { SessionRef } from '../app/ports/event-store.ts';
import type { Ports } from '../app/ports/ports.ts';
import { sessionsOfCall } from '../app/sessions-of-call.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import { idText } from './id-text.ts';

const id = idText(200).optional().catch(undefined);
/** The first two are of Codex, the last is of Claude Code; what else clients put there names no session. */
const metaSchema = z.object({ threadId: id, sessionId: id, 'claudecode/toolUseId': id }).catch({});

/** The answer that makes a call has ended before the call comes, but need not be written down yet. */
const RECORDING_MS = 3_000;

type SessionPorts = Pick<Ports, 'store' | 'indexer'>;

type Asked = { tenant: string; session_id: string | null; signal: AbortSignal };

/**
 * The session that a call is about: that of the URL, else the one that its `_meta` leads to. It
 * identifies, it never authorises, and a call that names none never means the newest. Rejects:
 * session_not_found.
 */
export async function sessionOf(
  ports: SessionPorts,
  asked: Asked,
  meta: unknown,
): Promise<Outcome<SessionRef>> {
  const { tenant, session_id } = asked;
  if (session_id !== null) {
    const ref = { tenant, session_id };
    if ((await ports.store.head(ref)) !== null) return accept(ref);
    return reject('session_not_found', noSuch(session_id));
  }
  const found = await sessionsOfMeta(ports, asked, meta);
  const [first, ...others] = found ?? [];
  if (first === undefined) return reject('session_not_found', NO_SESSION);
  if (others.length > 0) return reject('session_not_found', SEVERAL_SESSIONS);
  return accept({ tenant, session_id: first });
}

/** The sessions that the client names, at least one; null where that is none, or none that is known. */
async function sessionsOfMeta(
  ports: SessionPorts,
  { tenant, signal }: Asked,
  meta: unknown,
): Promise<string[] | null> {
  const { store } = ports;
  const { threadId, sessionId, 'claudecode/toolUseId': call } = metaSchema.parse(meta ?? {});
  const threads = [threadId, sessionId].filter((name) => name !== undefined);
  for (const session_id of threads) {
    if ((await store.head({ tenant, session_id })) !== null) return [session_id];
  }
  if (threads.length === 0 && call === undefined) return null;
  const look = async () => {
    const known = await store.gatewayKeys.find(tenant, threads.map(threadKey));
    if (known !== null) return [known.session_id];
    const callers = call === undefined ? [] : await sessionsOfCall(ports, tenant, call);
    return callers.length === 0 ? null : callers;
  };
  return soon(look, { ms: RECORDING_MS, signal });
}

const unknown = (why: string) =>
  `it is not known which session this is: ${why}. ` +
  'Ask the user to set the address of this MCP server to …/mcp/SESSION_ID';

const NO_SESSION = unknown('nothing that the client sends names one that is known here');
const SEVERAL_SESSIONS = unknown('the call that the client names stands in more than one');

function noSuch(session_id: string): string {
  return (
    `there is no session "${session_id}" yet: ask the user to check the end of the address of this MCP ` +
    'server, or go on, since a session begins with its first items'
  );
}
