import type { Config } from '../policy/config.ts';
import { estimator, type TextCounter } from './count.ts';

export type TokenizerName = Exclude<Config['token_counter'], 'estimate'>;

/** Real tokenizers by name, loaded by the composition root because they are large. */
export type Tokenizers = { readonly [N in TokenizerName]?: TextCounter };

/**
 * Characters per call of a tokenizer. Byte-pair encoding is quadratic on unbroken text: 100 KB of one
 * letter blocks for ten seconds. In windows of this size every input stays linear, and the count is
 * at most 0.04 % off.
 */
const WINDOW_CHARACTERS = 1024;

/** A tokenizer that counts long texts window by window; never splits a surrogate pair. */
export function windowed(count: TextCounter): TextCounter {
  return (text) => {
    let sum = 0;
    for (let start = 0; start < text.length; ) {
      let end = Math.min(start + WINDOW_CHARACTERS, text.length);
      const last = text.charCodeAt(end - 1);
      if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1;
      sum += count(text.slice(start, end));
      start = end;
    }
    return sum;
  };
}

/** The counter that a configuration asks for. Throws when its tokenizer was not handed in. */
export function counterFor(config: Config, tokenizers: Tokenizers): TextCounter {
  if (config.token_counter === 'estimate') return estimator(config);
  const tokenizer = tokenizers[config.token_counter];
  if (tokenizer === undefined) throw new Error(`tokenizer ${config.token_counter} is not loaded`);
  return tokenizer;
}
