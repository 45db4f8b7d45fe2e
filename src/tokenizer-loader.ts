import type { TextCounter } from './domain/tokens/count.ts';
import { type TokenizerName, windowed } from './domain/tokens/tokenizers.ts';

/** Loads a real tokenizer; takes a quarter of a second and some 58 MB, so only when asked for. */
export async function loadTokenizer(name: TokenizerName): Promise<TextCounter> {
  const { countTokens, setMergeCacheSize } = await importEncoding(name);
  // Once its cache is full every miss takes four times as long, and hostile text only misses.
  setMergeCacheSize(0);
  // Without this a text that spells a special token, such as <|endoftext|>, would throw.
  const options = { disallowedSpecial: new Set<string>() };
  return windowed((text) => countTokens(text, options));
}

function importEncoding(name: TokenizerName) {
  switch (name) {
    case 'o200k_base':
      return import('gpt-tokenizer/encoding/o200k_base');
    case 'cl100k_base':
      return import('gpt-tokenizer/encoding/cl100k_base');
    default:
      return name satisfies never;
  }
}
