import type { JsonObject } from '../domain/json.ts';
import { objectField } from './transcript.ts';

/** What a tool has answered in a part of Gemini's API: its output, its error, or else the part itself. */
export function answerIn(part: JsonObject): string {
  const { output, error } = objectField(objectField(part, 'functionResponse'), 'response');
  const answer = output ?? error ?? part;
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}
