import type { JsonObject } from '../../json.ts';
import { answerJson } from '../answer-json.ts';
import type { StreamEvent } from './recall-protocol.ts';

/** Null for what is no JSON object, such as `[DONE]`. */
export function eventData({ data }: StreamEvent): JsonObject | null {
  return answerJson(data);
}

/** The event with some fields of its data replaced; all others as they came. */
export function withFields(event: StreamEvent, fields: JsonObject): StreamEvent {
  return { ...event, data: JSON.stringify({ ...eventData(event), ...fields }) };
}
