import type { Protocol } from '../../domain/gateway/protocol.ts';

/** One request of a client for an answer of a model; it can go from thread to thread. */
export type TurnRequest = {
  protocol: Protocol;
  tenant: string;
  /** The name of the upstream that answers. */
  upstream: string;
  /**
   * Whose session it is within the tenant: a fingerprint of the client's credential where all share one
   * tenant, else empty.
   */
  owner: string;
  /** Those that say something about the session or its model, by their names in small letters. */
  headers: Readonly<Record<string, string>>;
  /** Names the session that is begun where none is found: the same however often this is planned. */
  fresh_id: string;
  /** The body, as JSON text. */
  text: string;
};

/** What the headers of a request name that are read here. */
const READ_HEADERS = [
  'x-palimpsest-session',
  'x-palimpsest-context-window',
  'x-palimpsest-profile',
  'x-palimpsest-recall',
  'thread-id',
  'x-claude-code-session-id',
  'x-claude-code-agent-id',
  'anthropic-beta',
] as const;

/** Those headers of a request, by their names in small letters. */
export function headersRead(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    READ_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
