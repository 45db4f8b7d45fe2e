import { headersRead } from '../../app/gateway/turn-request.ts';
import { headerProblem } from '../../app/gateway/turn-settings.ts';
import { mayHoldOurs } from '../../app/opaque-content.ts';
import { protocolOf } from '../../domain/gateway/protocol.ts';
import type { Refusal } from '../../domain/gateway/refusal.ts';
import { ProblemError } from '../http/problem.ts';
import { type ReadBody, readBody } from './body.ts';
import { gatewayError, problemAnswer } from './errors.ts';
import {
  type Asked,
  answered,
  type Call,
  type Relay,
  sent,
  turnRequest,
  unpacked,
} from './relay.ts';
import { serveTurn } from './serve-turn.ts';
import { speaksAnthropic, targetOf } from './upstreams.ts';

/** Answers a request with what its upstream answers (SPEC 2, section 23). */
export async function serve(relay: Relay, asked: Asked): Promise<Response> {
  const { request, named, rest } = asked;
  const path = rest.replace(/\?.*$/s, '');
  const protocol = request.method === 'POST' ? protocolOf(path) : null;
  const isAnthropic = speaksAnthropic(protocol, rest, request.headers);
  try {
    if (request.headers.has('upgrade')) return upgradeRefused(isAnthropic);
    const who = relay.who(request);
    if (TWICE.test(path)) return versionTwice(path, request.headers);
    const target = targetOf(relay.upstreams, { named, rest, headers: request.headers });
    if (target === null) return noUpstream(named ?? '', isAnthropic);
    if (target.name === 'openai' && OWN_API.test(path)) return notOfAProvider(path);
    if (request.method === 'POST' && path === '/responses/compact') {
      return await relay.compact(request, target.name);
    }
    const misuse = protocol === null ? null : headerProblem(headersRead(request.headers));
    if (misuse !== null) return unusable(misuse, isAnthropic);
    const call = { ...asked, who, target, protocol, isAnthropic };
    const body = await readBody(request, relay);
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

/** Passed over, a session would have another window or profile than its client believes. */
function unusable(message: string, isAnthropic: boolean): Response {
  return gatewayError(isAnthropic, { status: 400, code: 'invalid_request', message });
}

function noUpstream(name: string, isAnthropic: boolean): Response {
  const variable = `PALIMPSEST_UPSTREAM_${name.toUpperCase().replaceAll('-', '_')}`;
  return gatewayError(isAnthropic, {
    status: 404,
    code: 'unknown_upstream',
    message: `the operator has set no upstream "${name}", which this path names: ${variable} sets it`,
  });
}

/** OpenAI has nothing there. What is meant is ours, and holds conversations that are for nobody else. */
const OWN_API = /^\/sessions(?:\/|$)/;

function notOfAProvider(path: string): Response {
  return gatewayError(false, {
    status: 404,
    code: 'not_found',
    message: `the API of this service is not below /v1: ask for ${path}`,
  });
}

/** Anthropic's SDK writes `/v1` itself: whoever has it in the base URL as well asks for this. */
const TWICE = /^\/v1\/(?:messages|chat\/completions|responses|models)(?:\/|$)/;

function versionTwice(path: string, headers: Headers): Response {
  return gatewayError(speaksAnthropic(null, path.slice('/v1'.length), headers), {
    status: 404,
    code: 'not_found',
    message: 'this path has /v1 twice: leave it out at the end of the base URL',
  });
}

async function passThrough(relay: Relay, call: Call, body: ReadBody): Promise<Response> {
  const { protocol } = call;
  const reason = protocol !== null && body.kind === 'long' ? body.reason : null;
  if (protocol !== null && reason !== null) relay.gateway.unread(protocol, reason);
  const status = reason === null ? 'forwarded' : `bypassed; reason=${reason}`;
  const text = body.kind === 'long' ? null : await openedText(relay, call, body);
  if (text !== null && typeof text !== 'string') return gatewayError(call.isAnthropic, text);
  const sending = { body, text, status };
  return answered(relay, call, { sending, answer: await sent(relay, call, sending) });
}

/** Of a request that counts a history: with items of ours opened; null: as it came. */
async function openedText(
  relay: Relay,
  call: Call,
  body: Extract<ReadBody, { kind: 'whole' }>,
): Promise<string | Refusal | null> {
  if (!COUNTS.test(call.rest)) return null;
  const { plain } = await unpacked(relay, call, body.bytes);
  if (plain === null) return null;
  if (!mayHoldOurs(plain)) {
    relay.room?.keepsOnly(call.request, body.bytes.byteLength);
    return null;
  }
  const asked = { ...turnRequest(relay, call, 'responses'), body: plain };
  const opened = await relay.gateway.opened(asked);
  switch (opened.kind) {
    case 'same':
      return null;
    case 'revised':
      return opened.body;
    case 'refused':
      return opened.refusal;
    default:
      return opened satisfies never;
  }
}

const COUNTS = /^\/responses\/input_tokens(?:\?|$)/;
