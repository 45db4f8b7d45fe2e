import { answerJson } from '../../domain/gateway/answer-json.ts';
import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { answerReader } from '../../domain/gateway/answers/readers.ts';
import { EventStreamReader } from '../../domain/gateway/event-stream.ts';
import type { Protocol } from '../../domain/gateway/protocol.ts';
import type { JsonObject } from '../../domain/json.ts';

/**
 * An answer as it came from upstream, its content coding undone. `isWhole`: it came to the end of its
 * connection. Many clients close that as soon as the answer says its own end.
 */
export type RawAnswer = { bytes: Uint8Array; isStream: boolean; isWhole: boolean };

/**
 * What a provider has answered; null when that is no answer, or more than may be read. One with an event
 * that cannot be read was broken off there, as it was for its client.
 */
export function readAnswer(protocol: Protocol, raw: RawAnswer): Answer | null {
  const text = new TextDecoder('utf-8').decode(raw.bytes);
  const reader = answerReader(protocol);
  if (!raw.isStream) {
    const body = answerJson(text);
    // Of one that was cut nothing can be read.
    return body && reader.ofBody(body);
  }
  const { events, isBroken, isDone } = eventsOf(text, raw.isWhole);
  const read = reader.ofEvents(events);
  // Behind what a chat calls its end its usage may follow; the other protocols end with one event.
  const isEnded = raw.isWhole || isDone || protocol !== 'chat';
  return { ...read, isWhole: read.isWhole && isEnded && !isBroken };
}

/** `isDone`: it has said that no event follows. */
type Events = { events: JsonObject[]; isBroken: boolean; isDone: boolean };

function eventsOf(text: string, isWhole: boolean): Events {
  const events: JsonObject[] = [];
  let isBroken = false;
  let isDone = false;
  const reader = new EventStreamReader();
  const take = (chunk: string) => {
    for (const piece of reader.read(chunk)) {
      if (piece.kind !== 'event') continue;
      const { data } = piece.event;
      const event = answerJson(data);
      if (event !== null && !isBroken) events.push(event);
      // Others are signs of the server: `[DONE]`, or that it is still there.
      else if (data.startsWith('{')) isBroken = true;
      else if (data.trim() === '[DONE]') isDone = true;
    }
  };
  take(text);
  const isBrokenBefore = isBroken;
  // The last one may lack the empty line behind it. Where it is cut itself, it was never there.
  if (isWhole) take('\n\n');
  return { events, isBroken: isBrokenBefore, isDone };
}
