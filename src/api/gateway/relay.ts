import type { Gateway, Turn } from '../../app/gateway/gateway.ts';
import { headersRead, type TurnAsked } from '../../app/gateway/turn-request.ts';
import type { Protocol } from '../../domain/gateway/protocol.ts';
import type { BodyRoom } from '../http/body-room.ts';
import { joinedBytes } from '../http/joined-bytes.ts';
import { turnHeaders } from '../http/turn-headers.ts';
import type { Who } from '../http/who.ts';
import { partialBytesOf, plainOf, type ReadBody } from './body.ts';
import { gatewayError } from './errors.ts';
import { answerHeaders, upstreamHeaders } from './headers.ts';
import { type Passing, passedOn } from './pass-on.ts';
import { type Connections, send, type UpstreamAnswer } from './send.ts';
import type { Target, Upstreams } from './upstreams.ts';

/** What requests below `/v1` are passed on with. */
export type Relay = {
  gateway: Gateway;
  upstreams: Upstreams;
  connections: Connections;
  who: (request: Request) => Who;
  newId: () => string;
  /** Where bodies are read; what finds none goes past us. */
  room: BodyRoom | undefined;
  /** Answers `/responses/compact` of an upstream with a name, as the route without one does. */
  compact: (request: Request, upstream: string) => Promise<Response>;
  log: { error(fields: object, message: string): void };
};

/** A request below `/v1`: `rest` is what follows, query included. */
export type Asked = {
  request: Request;
  named: string | null;
  rest: string;
  /** Breaks off the connection of the client, where the server tells it. */
  cut: (() => void) | null;
};

/** One request on its way. */
export type Call = Asked & {
  who: Who;
  target: Target;
  protocol: Protocol | null;
  isAnthropic: boolean;
};

/** What goes upstream; `text` in place of the body's bytes where it is not null. */
export type Sending = {
  body: ReadBody;
  text: string | null;
  status: string;
  session?: SessionHeaders;
  /** The answer is to come without a content coding. */
  isReadAlong?: boolean;
};

/** Answers with these never have a body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

type SessionHeaders = { id: string; version: number };

/** The request as the use case takes it, but for its body. */
export function turnRequest(
  relay: Relay,
  { request, who, target }: Call,
  protocol: Protocol,
): Omit<TurnAsked, 'body'> {
  return {
    protocol,
    tenant: who.tenant,
    owner: who.owner,
    upstream: target.name,
    headers: headersRead(request.headers),
    fresh_id: relay.newId(),
  };
}

/** What goes upstream: a turn in its session, or one that goes past it. */
export type Sendable = Extract<Turn, { kind: 'turn' | 'bypass' }>;

/** Null when the upstream cannot be reached, or answers with a status that HTTP does not have. `stop` ends it as well as the client does. */
export async function sent(
  { connections, log }: Relay,
  { request, target, who }: Call,
  { body, text, isReadAlong = false }: Pick<Sending, 'body' | 'text' | 'isReadAlong'>,
  stop: AbortSignal | null = null,
): Promise<UpstreamAnswer | null> {
  const headers = upstreamHeaders(request.headers, {
    dropped: who.dropped,
    isNewBody: text !== null,
  });
  if (isReadAlong) headers['accept-encoding'] = 'identity';
  const original = body.kind === 'long' ? body.stream : body.bytes.length === 0 ? null : body.bytes;
  const { method } = request;
  const signal = stop === null ? request.signal : AbortSignal.any([request.signal, stop]);
  try {
    const answer = await send(
      connections,
      { url: target.url, method, headers, body: text ?? original },
      signal,
    );
    const { statusCode: status } = answer;
    if (status >= 200 && status <= 599) return answer;
    answer.body.destroy();
    log.error({ upstream: target.name, status }, 'an upstream answered with an unknown status');
    return null;
  } catch (error) {
    // Given up from here, or by the client: nothing is wrong with the upstream.
    if (signal.aborted) return null;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // So it is when a proxy opens no tunnel; which status it gave stands in the message alone.
    const reason = code === 'UND_ERR_ABORTED' && error instanceof Error ? error.message : undefined;
    log.error({ upstream: target.name, code, reason }, 'an upstream did not answer');
    return null;
  }
}

/** What came from upstream; the body may have been looked at. */
export type Answering = Pick<UpstreamAnswer, 'statusCode' | 'headers'> & { body: Passing };

/** Whether a content type is that of server-sent events. */
export function isEventStream(type: string | null): boolean {
  return /^text\/event-stream\b/.test(type ?? '');
}

/** What the client gets; with a turn, its answer is recorded when it has come. */
export function answered(
  relay: Relay,
  call: Call & { asked?: TurnAsked },
  { sending, answer, turn }: { sending: Sending; answer: Answering | null; turn?: Sendable },
): Response {
  const own = turnHeaders(sending);
  if (answer === null) {
    return gatewayError(call.isAnthropic, {
      status: 502,
      code: 'upstream_unreachable',
      message: `the upstream "${call.target.name}" could not be reached, broke off before it answered, or gave an answer that HTTP does not know: the log of the service says which`,
      headers: own,
    });
  }
  const headers = answerHeaders(answer.headers, own);
  const { statusCode: status } = answer;
  if (WITHOUT_BODY.includes(status) || call.request.method === 'HEAD') {
    answer.body.destroy();
    return new Response(null, { status, headers });
  }
  const { asked } = call;
  const isStream = isEventStream(headers.get('content-type'));
  const coding = headers.get('content-encoding');
  const stream = passedOn(answer.body, call.cut, ({ pieces, isWhole }) => {
    if (turn?.kind !== 'turn' || asked === undefined || pieces === null || status >= 300) return;
    relay.gateway.recorded(asked, turn.plan, async () => ({
      bytes: await partialBytesOf(await joinedBytes(pieces), coding),
      isStream,
      isWhole,
    }));
  });
  return new Response(stream, { status, headers });
}

/** One header of an upstream's answer. */
export function headerOf(
  { headers }: Pick<UpstreamAnswer, 'headers'>,
  name: string,
): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

type Unpacked = { plain: Buffer } | { plain: null; reason: 'content_encoding' | 'no_room' };

/** The body of a request in plain, which takes room as it comes out; one that cannot be read gives it back. */
export async function unpacked(
  { room }: Relay,
  { request }: Call,
  bytes: Buffer,
): Promise<Unpacked> {
  let hasRoom = true;
  const plain = await plainOf(bytes, request.headers.get('content-encoding'), (size) => {
    hasRoom = room?.holds(request, bytes.byteLength + size, 0) ?? true;
    return hasRoom;
  });
  if (plain !== null) return { plain };
  room?.keepsOnly(request, bytes.byteLength);
  return { plain, reason: hasRoom ? 'content_encoding' : 'no_room' };
}
