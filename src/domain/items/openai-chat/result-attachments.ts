import { isJsonObject, type Json, objectsIn } from '../../json.ts';
import { resultPartText } from '../convert.ts';
import type { Item } from '../item.ts';
import { openaiChatMessage } from './encode.ts';
import { partOf } from './normalise.ts';

// A tool message of the API holds text only. Clients of compatible servers put pictures and files into
// them: these go into a message of the user after the results, where the API takes them.

const KINDS_OF_USER = ['image_url', 'file', 'input_audio'];

/** The result messages with a note in place of each part that is no text. */
export function withTextsOnly(results: readonly Item[]): Item[] {
  return results.map((message) => {
    if (!Array.isArray(message.content) || message.content.every(isText)) return message;
    const content = objectsIn(message.content).map((part) =>
      isText(part) ? part : { type: 'text', text: resultPartText(partOf(part)) },
    );
    return { ...message, content };
  });
}

/** The pictures, files and sounds of the results, as one message of the user; none where there are none. */
export function attached(results: readonly Item[]): Item[] {
  const parts = results.flatMap(({ content }) =>
    objectsIn(content).filter(({ type }) => KINDS_OF_USER.some((kind) => kind === type)),
  );
  return parts.length === 0 ? [] : [{ ...openaiChatMessage('user', ''), content: parts }];
}

function isText(part: Json): boolean {
  return isJsonObject(part) && part.type === 'text';
}
