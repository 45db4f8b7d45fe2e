import type { Config } from '../policy/config.ts';
import { estimator, isHighSurrogate, type TextCounter } from './count.ts';

export type TokenizerName = Exclude<Config['token_counter'], 'estimate'>;

/** Real tokenizers by name, loaded by the composition root because they are large. */
export type Tokenizers = { readonly [N in TokenizerName]?: TextCounter };

/**
 * Characters per call of a tokenizer. Byte-pair encoding is quadratic on unbroken text: 100 KB of one
 * letter blocks for ten seconds. In windows of this size every input stays linear, and the count is
 * a few tenths of a percent off at most.
 */
export const WINDOW_CHARACTERS = 256;
/**
 * Of a longer text this many windows, evenly spread, are counted and stand for the rest: 64 KB are
 * counted in full, and no single text blocks the event loop for long.
 */
const MOST_WINDOWS = 256;

/** A tokenizer that counts long texts window by window; never splits a surrogate pair. */
export function windowed(count: TextCounter): TextCounter {
  return (text) => {
    const windows = Math.ceil(text.length / WINDOW_CHARACTERS);
    const stride = Math.max(1, windows / MOST_WINDOWS);
    let tokens = 0;
    let characters = 0;
    for (let window = 0; window < windows; window += stride) {
      const start = safe(text, Math.floor(window) * WINDOW_CHARACTERS);
      const end = safe(text, (Math.floor(window) + 1) * WINDOW_CHARACTERS);
      tokens += count(text.slice(start, end));
      characters += end - start;
    }
    return characters === 0 ? 0 : Math.ceil((tokens * text.length) / characters);
  };
}

/** The position, or the one after it when it would fall into a surrogate pair. */
export function safe(text: string, position: number): number {
  if (position === 0 || position >= text.length) return Math.min(position, text.length);
  return isHighSurrogate(text.charCodeAt(position - 1)) ? position + 1 : position;
}

/**
 * The counter that a configuration asks for, for one piece of work: a real tokenizer counts so much and
 * no more. Throws when its tokenizer was not handed in.
 */
export function counterFor(config: Config, tokenizers: Tokenizers): TextCounter {
  if (config.token_counter === 'estimate') return estimator(config);
  const tokenizer = tokenizers[config.token_counter];
  if (tokenizer === undefined) throw new Error(`tokenizer ${config.token_counter} is not loaded`);
  return withinBudget(tokenizer);
}

/** Counted in full by a piece of work that cannot pause. */
const UNPAUSED_CHARACTERS = 65_536;

/**
 * A counter for one piece of work that cannot pause: after so many characters the rest is taken to have
 * as many tokens for its length as what was counted.
 */
function withinBudget(count: TextCounter): TextCounter {
  const seen = { tokens: 0, characters: 0 };
  return (text) => {
    if (seen.characters >= UNPAUSED_CHARACTERS)
      return Math.ceil((seen.tokens * text.length) / seen.characters);
    const tokens = count(text);
    seen.tokens += tokens;
    seen.characters += text.length;
    return tokens;
  };
}
