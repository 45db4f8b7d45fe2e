import type { PlannedSend, Turn } from '../../app/gateway/gateway.ts';
import { readable, type TurnAsked } from '../../app/gateway/turn-request.ts';
import type { Protocol } from '../../domain/gateway/protocol.ts';
import { mayRefuseTools } from '../../domain/gateway/refused-tools.ts';
import { saysTooLong } from '../../domain/gateway/too-long.ts';
import { turnHeaders } from '../http/turn-headers.ts';
import { Ahead } from './ahead.ts';
import { partialTextOf, type ReadBody } from './body.ts';
import { askedFor, compactionAnswer, messageAnswer } from './compaction-answer.ts';
import { gatewayError } from './errors.ts';
import { answerHeaders } from './headers.ts';
import { beginningOf, begun } from './peek.ts';
import { recallAnswer } from './recall-answer.ts';
import {
  type Answering,
  answered,
  type Call,
  headerOf,
  isEventStream,
  type Relay,
  type Sendable,
  type Sending,
  sent,
  turnRequest,
  unpacked,
} from './relay.ts';

/** Sends a request that continues a conversation with the context of its session (SPEC 2, section 23). */
export async function serveTurn(
  relay: Relay,
  call: Call & { protocol: Protocol },
  body: Extract<ReadBody, { kind: 'whole' }>,
): Promise<Response> {
  const { request, protocol, isAnthropic } = call;
  const told = turnRequest(relay, call, protocol);
  const coding = request.headers.get('content-encoding');
  const ahead = new Ahead(
    coding === null ? relay.gateway.goesAhead(told, body.bytes) : Promise.resolve(false),
    (stop) => sent(relay, call, { body, text: null }, stop),
  );
  const read = await unpacked(relay, call, body.bytes);
  if (read.plain === null) {
    relay.gateway.unread(protocol, read.reason);
    const sending = { body, text: null, status: `bypassed; reason=${read.reason}` };
    const answer = await (ahead.taken() ?? sent(relay, call, sending));
    return answered(relay, call, { sending, answer });
  }
  const asked = { ...told, body: read.plain };
  const turn = await relay.gateway.turn(asked, request.signal);
  switch (turn.kind) {
    case 'refused':
      ahead.dropped();
      return gatewayError(isAnthropic, turn.refusal);
    case 'compacted':
      ahead.dropped();
      return compacted(relay, asked, turn);
    case 'bypass':
    case 'turn':
      return goOn(relay, { ...call, asked, ahead }, body, turn);
    default:
      return turn satisfies never;
  }
}

/** What the client gets that has asked for a compaction. */
function compacted(
  { newId }: Relay,
  request: TurnAsked,
  { by, status }: Extract<Turn, { kind: 'compacted' }>,
): Response {
  const headers = turnHeaders({ status, ...(by.session !== null && { session: by.session }) });
  const asked = askedFor(readable(request).text);
  return by.kind === 'item'
    ? compactionAnswer(asked, by.content, newId(), headers)
    : messageAnswer(asked, by.text, newId(), headers);
}

type TurnCall = Call & { protocol: Protocol; asked: TurnAsked; ahead: Ahead };

/** Shorter prompts are not too long for any model: their answers are not looked at, in bytes. */
const LOOKED_AT = 16_384;

/** Sends a turn, and once more where the provider finds it too long and it can be made shorter. */
async function goOn(
  relay: Relay,
  call: TurnCall,
  body: ReadBody,
  turn: Sendable,
): Promise<Response> {
  const sending = sendingOf(body, turn);
  if (sending.text !== null) call.ahead.dropped();
  const answer = await (call.ahead.taken() ?? sent(relay, call, sending));
  if (answer === null) return turnAnswered(relay, call, { sending, answer, turn });
  const coding = headerOf(answer, 'content-encoding');
  if (answer.statusCode < 400) {
    const length = sending.text?.length ?? call.asked.body.byteLength;
    if (answer.statusCode !== 200 || length < LOOKED_AT) {
      return turnAnswered(relay, call, { sending, answer, turn });
    }
    const isStream = isEventStream(headerOf(answer, 'content-type'));
    const { body: whole, refusal } = await begun(answer.body, { isStream, coding });
    const shorter = refusal === null ? null : await shorterTurn(relay, call, turn, refusal);
    if (shorter === null) {
      return turnAnswered(relay, call, { sending, answer: { ...answer, body: whole }, turn });
    }
    whole.destroy();
    return sentAgain(relay, call, body, shorter);
  }
  const { bytes, rest } = await beginningOf(answer.body);
  const refusal = await partialTextOf(bytes, coding);
  if (saysTooLong(answer.statusCode, refusal)) {
    const shorter = await shorterTurn(relay, call, turn, refusal);
    if (shorter !== null) {
      rest?.destroy();
      return sentAgain(relay, call, body, shorter);
    }
  }
  if (turn.kind === 'turn' && mayRefuseTools(answer.statusCode, refusal)) {
    const plain = relay.gateway.withoutOffer(call.asked, turn);
    if (plain !== null) {
      rest?.destroy();
      return withoutOffer(relay, call, body, { turn, plain });
    }
  }
  if (rest !== null) return answered(relay, call, { sending, answer: { ...answer, body: rest } });
  const own = turnHeaders(sending);
  return new Response(new Uint8Array(bytes), {
    status: answer.statusCode,
    headers: answerHeaders(answer.headers, own),
  });
}

/** `plain`: the turn without our tools. Where that is refused as well, they were not the reason. */
async function withoutOffer(
  relay: Relay,
  call: TurnCall,
  body: ReadBody,
  { turn, plain }: Record<'turn' | 'plain', PlannedSend>,
): Promise<Response> {
  const sending = sendingOf(body, plain);
  const answer = await sent(relay, call, sending);
  if (answer?.statusCode === 200) relay.gateway.refusesOffer(call.asked, turn);
  return turnAnswered(relay, call, { sending, answer, turn: plain });
}

async function sentAgain(
  relay: Relay,
  call: TurnCall,
  body: ReadBody,
  turn: Sendable,
): Promise<Response> {
  const sending = sendingOf(body, turn);
  return turnAnswered(relay, call, { sending, answer: await sent(relay, call, sending), turn });
}

/** Null when nothing shorter can be made of it. */
async function shorterTurn(
  { gateway }: Relay,
  { asked, request }: TurnCall,
  turn: Sendable,
  refusal: string,
): Promise<Sendable | null> {
  if (turn.kind === 'turn') return gateway.shorter(asked, turn, refusal, request.signal);
  const body = await gateway.shorterBypass(asked, refusal);
  return body !== null && body.length < (turn.body ?? readable(asked).text).length
    ? { ...turn, body }
    : null;
}

function sendingOf(body: ReadBody, turn: Sendable): Sending {
  if (turn.kind === 'bypass') {
    return { body, text: turn.body, status: `bypassed; reason=${turn.reason}` };
  }
  const { body: text, status, plan } = turn;
  const session = { id: plan.session_id, version: plan.version };
  return { body, text, status, session, isReadAlong: plan.recall !== null };
}

/** The same, where calls of our tools may be answered here. */
async function turnAnswered(
  relay: Relay,
  call: TurnCall,
  answering: { sending: Sending; answer: Answering | null; turn: Sendable },
): Promise<Response> {
  const { sending, answer, turn } = answering;
  const rounds = turn.kind === 'turn' ? relay.gateway.recall(call.asked, turn) : null;
  if (turn.kind !== 'turn' || rounds === null || answer?.statusCode !== 200) {
    return answered(relay, call, answering);
  }
  const recalled = await recallAnswer(answer, {
    rounds,
    again: (text) => sent(relay, call, { ...sending, text }),
    own: turnHeaders(sending),
    isStream: isEventStream(headerOf(answer, 'content-type')),
    cut: call.cut,
    record: (read) => relay.gateway.recorded(call.asked, turn.plan, read),
  });
  return recalled ?? answered(relay, call, { sending, answer: null });
}
