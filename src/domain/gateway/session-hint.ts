import { TELLS_WHICH } from '../items/leading-instructions.ts';
import { isJsonObject, type JsonObject, stringField } from '../json.ts';
import { trimEndOf } from '../trim-end.ts';
import type { Protocol } from './protocol.ts';

/** What a request says about the session that it belongs to, by the first rule that applies. */
export type SessionHint =
  /** A name that the client uses for the whole session. `isAgent`: one that another session has begun. */
  | { kind: 'named'; rule: string; name: string; isAgent: boolean }
  /** An answer that the request goes on from: its history stands where that was recorded. */
  | { kind: 'after'; answer_id: string }
  /** Only the history itself can tell. */
  | { kind: 'history' };

/** Reads a header by its name in small letters; null when there is none. */
type ReadHeader = (name: string) => string | null;

/** The header by which a session is named to us. */
export const OWN_NAME = 'x-palimpsest-session';

/** The field by which a client has its provider find what it has cached. */
export const CACHE_KEY = 'prompt_cache_key';

/** Longer names are no ids, and are cut before they are hashed. */
const LONGEST_NAME = 1_000;

/** SPEC 2, section 23, in its order. A name identifies, it never authorises. */
export function sessionHint(protocol: Protocol, header: ReadHeader, body: JsonObject): SessionHint {
  const named = (
    rule: string,
    name: string | null | undefined,
    isAgent = false,
  ): SessionHint | null =>
    name === null || name === undefined || name.trim() === ''
      ? null
      : { kind: 'named', rule, name: name.slice(0, LONGEST_NAME), isAgent };
  return (
    named(OWN_NAME, header(OWN_NAME)) ??
    named('thread-id', header('thread-id'), isThreadOfAgent(header)) ??
    named('claude-code', claudeCodeSession(header), header('x-claude-code-agent-id') !== null) ??
    named('metadata', userSession(body.metadata)) ??
    after(protocol, body) ??
    named(CACHE_KEY, stringField(body, CACHE_KEY)) ?? { kind: 'history' }
  );
}

/** Codex' subagents share the session of their parent, whose own thread is called as the session is. */
function isThreadOfAgent(header: ReadHeader): boolean {
  const session = header('session-id');
  return session !== null && session !== header('thread-id');
}

/** A subagent shares the session of its parent, and has a conversation of its own. */
function claudeCodeSession(header: ReadHeader): string | null {
  const session = header('x-claude-code-session-id');
  const agent = header('x-claude-code-agent-id');
  return session === null || agent === null ? session : `${session} ${agent}`;
}

const SESSION_ALONE = /^session_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Claude Code writes JSON into `metadata.user_id`, older ones `user_…_account_…_session_ID`; Kimi Code
 * `session_ID`. Other programs may mean a person by what looks like that: only such an id is a session's.
 */
function userSession(metadata: JsonObject[string] | undefined): string | undefined {
  const user = isJsonObject(metadata) ? stringField(metadata, 'user_id') : undefined;
  if (user === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(user);
    return isJsonObject(parsed) ? stringField(parsed, 'session_id') : undefined;
  } catch {
    return sessionAtEnd(user) ?? SESSION_ALONE.exec(user)?.[1];
  }
}

const SESSION_MARK = '_session_';
const SHORTEST_SESSION = 8;

/** What stands behind the first mark that has nothing but an id behind it. */
function sessionAtEnd(user: string): string | undefined {
  const mark = user.indexOf(SESSION_MARK, trimEndOf(user, /[\w-]/).length);
  const id = mark === -1 ? '' : user.slice(mark + SESSION_MARK.length);
  return id.length >= SHORTEST_SESSION ? id : undefined;
}

function after(protocol: Protocol, body: JsonObject): SessionHint | null {
  const answer_id = answerBefore(protocol, body);
  return answer_id === null ? null : { kind: 'after', answer_id };
}

/** The answer that a request goes on from, which then holds nothing of what was before; null: none. */
export function answerBefore(protocol: Protocol, body: JsonObject): string | null {
  const { thread } = body;
  const id =
    protocol === 'messages'
      ? isJsonObject(thread) && stringField(thread, 'previous_message_id')
      : stringField(body, 'previous_response_id');
  return typeof id === 'string' && id !== '' ? id : null;
}

/**
 * From how many characters of the model on the instructions of a conversation may vary: at once where a name
 * says which one it is. What only keys a cache many have in common.
 */
export function varyAfter(rule: string): number {
  return rule === CACHE_KEY || rule === 'history' || rule === 'after' ? TELLS_WHICH : 1;
}
