import type { Protocol } from '../../domain/gateway/protocol.ts';
import { OWN_NAME } from '../../domain/gateway/session-hint.ts';

/** One request of a client for an answer of a model, as it is read. */
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

/**
 * The same before it is read; it can go from thread to thread. `body`: its text in UTF-8, which is copied
 * quicker than a text of megabytes, and only the thread that reads it has to hold it twice.
 */
export type TurnAsked = Omit<TurnRequest, 'text'> & { body: Uint8Array };

/** A request with its text. */
export function readable({ body, ...request }: TurnAsked): TurnRequest {
  return { ...request, text: new TextDecoder('utf-8').decode(body) };
}

/** What the headers of a request name that are read here. */
const READ_HEADERS = [
  OWN_NAME,
  'x-palimpsest-context-window',
  'x-palimpsest-profile',
  'x-palimpsest-recall',
  'session-id',
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
