import { createParser } from 'eventsource-parser';
import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { answerReader } from '../../domain/gateway/answers/readers.ts';
import type { Protocol } from '../../domain/gateway/protocol.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

/** What a provider has answered, from the text of its answer; null when that is none. */
export function readAnswer(protocol: Protocol, isStream: boolean, text: string): Answer | null {
  const reader = answerReader(protocol);
  if (isStream) return reader.ofEvents(eventsOf(text));
  const body = objectOf(text);
  return body === null ? null : reader.ofBody(body);
}

function eventsOf(text: string): JsonObject[] {
  const events: JsonObject[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = objectOf(data);
      if (event !== null) events.push(event);
    },
  });
  parser.feed(text);
  return events;
}

function objectOf(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}
