import type { TextCounter } from './count.ts';
import { safe, WINDOW_CHARACTERS } from './tokenizers.ts';

/** Of the texts of one request so many characters are counted, of more a sample of that size. */
const REQUEST_CHARACTERS = 400_000;
/** Characters between two pauses: a few milliseconds of the slowest text. */
const PAUSE_CHARACTERS = 2_048;

/**
 * Counts the texts of one request with a real tokenizer, piece by piece: whoever drives the generator
 * lets others run between the pieces. Up to a limit all characters are counted in full; of more, windows
 * that are spread evenly over all texts are, and stand for the rest. The same texts in the same order
 * always give the same counts; they are stored with the events, so that reading never counts again.
 */
export function* countTexts(
  texts: readonly string[],
  count: TextCounter,
): Generator<undefined, Map<string, number>> {
  const counts = new Map<string, number>();
  const distinct = [...new Set(texts)];
  const share = Math.min(
    1,
    REQUEST_CHARACTERS / distinct.reduce((sum, text) => sum + text.length, 0),
  );
  const seen = { tokens: 0, characters: 0 };
  let sincePause = 0;
  // The first text has a window of its own, whatever its share: the others have a ratio then.
  let credit = WINDOW_CHARACTERS;
  for (const text of distinct) {
    const windows = Math.ceil(text.length / WINDOW_CHARACTERS);
    credit += text.length * share;
    const taken = share === 1 ? windows : Math.min(windows, Math.floor(credit / WINDOW_CHARACTERS));
    credit -= taken * WINDOW_CHARACTERS;
    let tokens = 0;
    let characters = 0;
    for (let window = 0; window < taken; window++) {
      const place = Math.floor((window * windows) / taken);
      const start = safe(text, place * WINDOW_CHARACTERS);
      const end = safe(text, (place + 1) * WINDOW_CHARACTERS);
      tokens += count(text.slice(start, end));
      characters += end - start;
      sincePause += end - start;
      if (sincePause < PAUSE_CHARACTERS) continue;
      sincePause = 0;
      yield undefined;
    }
    seen.tokens += tokens;
    seen.characters += characters;
    const { tokens: sample, characters: of } = characters === 0 ? seen : { tokens, characters };
    counts.set(text, of === 0 ? 0 : Math.ceil((sample * text.length) / of));
  }
  return counts;
}
