import { createParser } from 'eventsource-parser';
import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { answerReader } from '../../domain/gateway/answers/readers.ts';
import type { Protocol } from '../../domain/gateway/protocol.ts';
import { type JsonObject, jsonObjectIn } from '../../domain/json.ts';

/** An answer as it came from upstream, its content coding undone. `isWhole`: it was not broken off. */
export type RawAnswer = { bytes: Uint8Array; isStream: boolean; isWhole: boolean };

/** What a provider has answered; null when that is no answer. */
export function readAnswer(protocol: Protocol, raw: RawAnswer): Answer | null {
  const read = answerIn(protocol, raw.isStream, new TextDecoder('utf-8').decode(raw.bytes));
  return read && { ...read, isWhole: read.isWhole && raw.isWhole };
}

function answerIn(protocol: Protocol, isStream: boolean, text: string): Answer | null {
  const reader = answerReader(protocol);
  if (isStream) return reader.ofEvents(eventsOf(text));
  const body = jsonObjectIn(text);
  return body === null ? null : reader.ofBody(body);
}

function eventsOf(text: string): JsonObject[] {
  const events: JsonObject[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = jsonObjectIn(data);
      if (event !== null) events.push(event);
    },
  });
  parser.feed(text);
  return events;
}
