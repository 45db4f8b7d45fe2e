import { codecFor, type Format } from '../items/codecs.ts';
import type { Json } from '../json.ts';
import type { Config } from '../policy/config.ts';
import type { TextCounter } from '../tokens/count.ts';
import { measureItem } from '../tokens/measure.ts';
import { counterFor, type TokenizerName } from '../tokens/tokenizers.ts';
import { checkItems } from './check-items.ts';
import type { World } from './world.ts';

/** Tokens of the texts of a request, counted with a real tokenizer before its command is decided. */
export type Counted = { tokenizer: TokenizerName; tokens: ReadonlyMap<string, number> };

/** The texts of items that a command will count, in order; none when the items are not valid. */
export function textsToCount(format: Format, config: Config, items: readonly Json[]): string[] {
  const codec = codecFor(format);
  const checked = checkItems(format, 'items', items);
  if (!checked.ok) return [];
  const texts: string[] = [];
  const collect: TextCounter = (text) => {
    texts.push(text);
    return 0;
  };
  for (const item of checked.items) measureItem(codec, item, collect, config);
  return texts;
}

/**
 * The counter of a command: what was counted before, where that was for the tokenizer in force, so
 * that nothing is counted while the session is held. Throws when its tokenizer was not handed in.
 */
export function countedCounter(
  world: World,
  config: Config,
  counted: Counted | undefined,
): TextCounter {
  const count = counterFor(config, world.tokenizers);
  if (counted === undefined || counted.tokenizer !== config.token_counter) return count;
  return (text) => counted.tokens.get(text) ?? count(text);
}
