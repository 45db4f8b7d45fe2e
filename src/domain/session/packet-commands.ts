import { messageText } from '../items/message-text.ts';
import { isOfAssistant, isUserMessage } from '../items/speaker.ts';
import type { LedgerItem } from '../ledger/advance.ts';
import type { Attribution } from '../policy/attribution.ts';
import type { Config } from '../policy/config.ts';
import type { Template } from '../policy/template.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import type { Request } from './after-append.ts';
import { automaticRequest } from './automatic-request.ts';
import type { Applied } from './compaction-commands.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { awaitsPacket, disarmed } from './disarm.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { EventData, NewEvent, PacketSource } from './events.ts';
import { configOf, type Head, type State } from './head.ts';
import type { World } from './world.ts';

/** The event that asks the agent for its packet, before the compaction (SPEC section 12). */
export function packetRequested(
  config: Config,
  attribution: Attribution,
  prompt: Template,
  now_ms: number,
): NewEvent {
  return {
    type: 'packet.requested',
    data: {
      attribution,
      prompt: prompt.text,
      template: prompt.version,
      deadline_ms: now_ms + Math.ceil(config.packet_timeout_seconds * 1000),
    },
  };
}

/**
 * What follows when the packet that is waited for has come with these items, or is overdue: the
 * packet, and the compaction that it is for. A message of the user ends the wait without one. `head`
 * stands after the items.
 */
export function takenPacket(
  world: World,
  head: Head,
  config: Config,
  items: readonly LedgerItem[],
  request: Request,
): NewEvent[] {
  const { packet_request } = head.state;
  if (packet_request === null) return [];
  // What the user has written is the continuation: it stands after the cut, and needs no packet.
  const words = items.find(({ item }) => isUserMessage(item));
  if (words !== undefined) {
    const { attribution } = packet_request;
    return [automaticRequest(request.compaction_id, attribution, { before: words.seq })];
  }
  const written = writtenPacket(items);
  if (written !== null) {
    const { seq, text } = written;
    const received = { source: 'assistant_item', seq, ...fitted(world, config, text) } as const;
    return receivedEvents(head.state, packet_request, received, request.compaction_id);
  }
  return overdueEvents(head.state, request);
}

/**
 * What follows when the turn is over that was to write the packet, and has brought none: the service
 * writes it, as after the deadline. Messages that the user has queued are the continuation, and need
 * no packet.
 */
export function packetTurnEnded(
  { state }: Head,
  queued_user_messages: number,
  { compaction_id }: Request,
): NewEvent[] {
  const { packet_request } = state;
  if (packet_request === null) return [];
  if (queued_user_messages > 0)
    return [automaticRequest(compaction_id, packet_request.attribution)];
  return receivedEvents(state, packet_request, missing('turn_complete'), compaction_id);
}

type ReceivePacket = { compaction_id: string; text: string };

/** `is_truncated`: the packet was longer than `packet_max_tokens`. */
type PacketReceived = { compaction_id: string; is_truncated: boolean };

/**
 * Takes the packet that the agent has written, and requests the compaction that it is for (SPEC
 * section 12). Rejects: session_not_found, packet_not_requested.
 */
export function receivePacket(
  world: World,
  { compaction_id, text }: ReceivePacket,
): Decide<PacketReceived> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { packet_request } = head.state;
    if (packet_request === null) return notRequested(head.state);
    const config = configOf(head.settings, world.server);
    if (!awaitsPacket(config)) return noLongerWanted();
    const packet = fitted(world, config, text);
    const received = { source: 'posted', seq: null, ...packet } as const;
    const events = receivedEvents(head.state, packet_request, received, compaction_id);
    return accept({
      events,
      value: () => ({ compaction_id, is_truncated: packet.is_truncated }),
    });
  };
}

/**
 * Ends the wait for a packet that is overdue: the compaction is requested, and the service writes the
 * packet itself. Does nothing when none is. Rejects: session_not_found.
 */
export function timeOutPacket(world: World, request: Request): Decide<Applied> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const off = disarmed(head, configOf(head.settings, world.server), request.compaction_id);
    if (off.length > 0) return accept({ events: off, value: () => ({ applied: false }) });
    const events = overdueEvents(head.state, request);
    return accept({ events, value: () => ({ applied: events.length > 0 }) });
  };
}

type PacketRequest = NonNullable<State['packet_request']>;

function overdueEvents(state: State, { compaction_id, now_ms }: Request): NewEvent[] {
  const { packet_request } = state;
  if (packet_request === null || now_ms < packet_request.deadline_ms) return [];
  return receivedEvents(state, packet_request, missing('timeout'), compaction_id);
}

function missing(source: 'turn_complete' | 'timeout'): EventData['packet.received'] {
  return { source, seq: null, text: null, is_truncated: false };
}

/** The packet, and the compaction that was due when it was asked for. */
function receivedEvents(
  state: State,
  { attribution }: PacketRequest,
  received: EventData['packet.received'],
  compaction_id: string,
): NewEvent[] {
  const packet: PacketSource =
    received.text === null
      ? { author: 'watcher' }
      : { author: 'agent', received_version: state.version + 1 };
  return [
    { type: 'packet.received', data: received },
    automaticRequest(compaction_id, attribution, { packet }),
  ];
}

function fitted(world: World, config: Config, text: string) {
  const count = counterFor(config, world.tokenizers);
  const cut = truncateMiddle(text, config.packet_max_tokens, count);
  return { text: cut, is_truncated: cut !== text };
}

function noLongerWanted(): Outcome<never> {
  const detail =
    'no packet is expected any more: the configuration has changed, and the agent no longer writes them';
  return reject('packet_not_requested', detail);
}

function notRequested({ running }: State): Outcome<never> {
  const instead =
    running === null
      ? 'the service asks for one with the event packet.requested, and waits until its deadline'
      : `compaction ${running.id} is under way, and it is too late for a packet`;
  return reject('packet_not_requested', `no packet was requested: ${instead}`);
}

/**
 * The first answer of the assistant among the items: a text that no tool call stands beside or
 * follows at once, since what is said before a call is no answer yet.
 */
function writtenPacket(items: readonly LedgerItem[]): { seq: number; text: string } | null {
  let callFollows = false;
  let answer: { seq: number; text: string } | null = null;
  for (const { seq, item } of items.toReversed()) {
    if (item.kind !== 'message' || item.role !== 'assistant') {
      callFollows = false;
      continue;
    }
    callFollows ||= item.parts.some((part) => part.kind === 'tool_call');
    const text = messageText(item);
    if (!callFollows && isOfAssistant(item) && text.trim() !== '') answer = { seq, text };
  }
  return answer;
}
