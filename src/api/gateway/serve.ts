import type { Dispatcher } from 'undici';
import type { Gateway, Turn } from '../../app/gateway/gateway.ts';
import { readAnswer } from '../../app/gateway/read-answer.ts';
import { READ_HEADERS, type TurnRequest } from '../../app/gateway/turn-request.ts';
import { type Protocol, protocolOf } from '../../domain/gateway/protocol.ts';
import { saysTooLong } from '../../domain/gateway/too-long.ts';
import { ProblemError } from '../http/problem.ts';
import { partialTextOf, type ReadBody, readBody, textOf } from './body.ts';
import { compactionAnswer } from './compaction-answer.ts';
import { gatewayError, problemAnswer } from './errors.ts';
import { answerHeaders, upstreamHeaders } from './headers.ts';
import { passedOn, wholeOf } from './pass-on.ts';
import { send, type UpstreamAnswer } from './send.ts';
import { speaksAnthropic, type Target, targetOf, type Upstreams } from './upstreams.ts';
import type { Who } from './who.ts';

export type Relay = {
  gateway: Gateway;
  upstreams: Upstreams;
  dispatcher: Dispatcher;
  who: (request: Request) => Who;
  newId: () => string;
  log: { error(fields: object, message: string): void };
};

/** A request below `/v1`: `rest` is what follows, query included. */
type Asked = {
  request: Request;
  named: string | null;
  rest: string;
  /** Breaks off the connection of the client, where the server tells it. */
  cut: (() => void) | null;
};

/** One request on its way. */
type Call = Asked & { who: Who; target: Target; protocol: Protocol | null; isAnthropic: boolean };

type Sending = { body: ReadBody; text: string | null; status: string; session?: SessionHeaders };
type SessionHeaders = { id: string; version: number };

/** Answers a request with what its upstream answers (SPEC 2, section 23). */
export async function serve(relay: Relay, asked: Asked): Promise<Response> {
  const { request, named, rest } = asked;
  const path = rest.replace(/\?.*$/s, '');
  const protocol = request.method === 'POST' ? protocolOf(path) : null;
  const isAnthropic = speaksAnthropic(protocol, rest, request.headers);
  try {
    if (request.headers.has('upgrade')) return upgradeRefused(isAnthropic);
    const who = relay.who(request);
    const target = targetOf(relay.upstreams, { named, rest, headers: request.headers });
    if (target === null) return noUpstream(isAnthropic);
    const call = { ...asked, who, target, protocol, isAnthropic };
    const body = await readBody(request);
    return await (protocol === null || body.kind === 'long'
      ? passThrough(relay, call, body)
      : serveTurn(relay, { ...call, protocol }, body));
  } catch (error) {
    if (error instanceof ProblemError) return problemAnswer(isAnthropic, error);
    throw error;
  }
}

function upgradeRefused(isAnthropic: boolean): Response {
  return gatewayError(isAnthropic, {
    status: 426,
    code: 'upgrade_required',
    message: 'this service speaks plain HTTP only: send the request without an upgrade',
  });
}

function noUpstream(isAnthropic: boolean): Response {
  return gatewayError(isAnthropic, {
    status: 404,
    code: 'unknown_upstream',
    message:
      'this path names an upstream that the operator has not set: PALIMPSEST_UPSTREAM_NAME sets it',
  });
}

async function passThrough(relay: Relay, call: Call, body: ReadBody): Promise<Response> {
  const isLong = body.kind === 'long' && call.protocol !== null;
  const status = isLong ? 'bypassed; reason=body_too_large' : 'forwarded';
  const sending = { body, text: null, status };
  return answered(relay, call, sending, await sent(relay, call, sending));
}

async function serveTurn(
  relay: Relay,
  call: Call & { protocol: Protocol },
  body: Extract<ReadBody, { kind: 'whole' }>,
): Promise<Response> {
  const { request, who, target, protocol, isAnthropic } = call;
  const text = await textOf(body.bytes, request.headers.get('content-encoding'));
  if (text === null) {
    const sending = { body, text: null, status: 'bypassed; reason=content_encoding' };
    return answered(relay, call, sending, await sent(relay, call, sending));
  }
  const { tenant, owner } = who;
  const headers = headersRead(request.headers);
  const asked: TurnRequest = {
    protocol,
    tenant,
    owner,
    upstream: target.name,
    headers,
    text,
    fresh_id: relay.newId(),
  };
  const turn = await relay.gateway.turn(asked, request.signal);
  switch (turn.kind) {
    case 'refused':
      return gatewayError(isAnthropic, turn.refusal);
    case 'compacted':
      return compactionAnswer(text, turn.content, relay.newId());
    case 'bypass': {
      const sending = { body, text: turn.body, status: turn.status };
      return answered(relay, call, sending, await sent(relay, call, sending));
    }
    case 'turn':
      return goOn(relay, { ...call, asked }, body, turn);
    default:
      return turn satisfies never;
  }
}

type InSession = Extract<Turn, { kind: 'turn' }>;
type TurnCall = Call & { asked: TurnRequest };

async function goOn(
  relay: Relay,
  call: TurnCall,
  body: ReadBody,
  turn: InSession,
): Promise<Response> {
  const sending = sendingOf(body, turn);
  const answer = await sent(relay, call, sending);
  if (answer === null || answer.statusCode < 400) {
    return answered(relay, call, sending, answer, turn);
  }
  const bytes = await wholeOf(answer);
  const coding = headerOf(answer, 'content-encoding');
  const refusal = await partialTextOf(bytes, coding);
  if (saysTooLong(answer.statusCode, refusal)) {
    const { asked, request } = call;
    const shorter = await relay.gateway.shorter(asked, turn, refusal, request.signal);
    if (shorter !== null) {
      const again = sendingOf(body, shorter);
      return answered(relay, call, again, await sent(relay, call, again), shorter);
    }
  }
  const own = ownHeaders(sending);
  return new Response(new Uint8Array(bytes), {
    status: answer.statusCode,
    headers: answerHeaders(answer.headers, own),
  });
}

function sendingOf(body: ReadBody, { body: text, status, plan }: InSession): Sending {
  return { body, text, status, session: { id: plan.session_id, version: plan.version } };
}

/** Null when the upstream cannot be reached. */
async function sent(
  { dispatcher, log }: Relay,
  { request, target, who }: Call,
  { body, text }: Sending,
): Promise<UpstreamAnswer | null> {
  const headers = upstreamHeaders(request.headers, {
    dropped: who.dropped,
    isNewBody: text !== null,
  });
  const original = body.kind === 'long' ? body.stream : body.bytes.length === 0 ? null : body.bytes;
  const { method, signal } = request;
  try {
    return await send(
      dispatcher,
      { url: target.url, method, headers, body: text ?? original },
      signal,
    );
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    log.error({ upstream: target.name, code }, 'an upstream did not answer');
    return null;
  }
}

/** What the client gets; with a turn, its answer is recorded when it has come. */
function answered(
  relay: Relay,
  call: Call & { asked?: TurnRequest },
  sending: Sending,
  answer: UpstreamAnswer | null,
  turn?: InSession,
): Response {
  const own = ownHeaders(sending);
  if (answer === null) {
    return gatewayError(call.isAnthropic, {
      status: 502,
      code: 'upstream_unreachable',
      message: `the upstream "${call.target.name}" could not be reached, or broke off before it answered`,
      headers: own,
    });
  }
  const headers = answerHeaders(answer.headers, own);
  const { statusCode: status } = answer;
  if (status === 204 || status === 304 || call.request.method === 'HEAD') {
    answer.body.resume();
    return new Response(null, { status, headers });
  }
  const { asked } = call;
  const isStream = /^text\/event-stream\b/.test(headers.get('content-type') ?? '');
  const coding = headers.get('content-encoding');
  const stream = passedOn(answer, call.cut, ({ bytes, isWhole }) => {
    if (turn === undefined || asked === undefined || bytes === null || status >= 300) return;
    relay.gateway.recorded(asked, turn.plan, async () => {
      const read = readAnswer(asked.protocol, isStream, await partialTextOf(bytes, coding));
      return read === null ? null : { ...read, isWhole: read.isWhole && isWhole };
    });
  });
  return new Response(stream, { status, headers });
}

function headersRead(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    READ_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

function headerOf({ headers }: UpstreamAnswer, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function ownHeaders({ status, session }: Sending): Record<string, string> {
  return {
    'palimpsest-status': status,
    ...(session !== undefined && {
      'palimpsest-session': session.id,
      'palimpsest-version': String(session.version),
    }),
  };
}
