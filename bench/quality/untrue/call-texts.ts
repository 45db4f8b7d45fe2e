import { type Call, stringsIn } from '../conversation.ts';
import { normalised } from '../words.ts';

const START = 30;
const SHORTEST = 8;

/** How the words of a call begin, each line of its arguments that can be told by its beginning. */
export function stringsOf({ input }: Call): string[] {
  return stringsIn(input)
    .flatMap((text) => text.split('\n', 3))
    .map((line) => normalised(line).slice(0, START).trim())
    .filter((start) => start.length >= SHORTEST);
}
