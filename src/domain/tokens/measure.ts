import type { Codec } from '../items/codec.ts';
import type { Item, Normalised } from '../items/item.ts';
import type { Config } from '../policy/config.ts';
import { countItem, type TextCounter } from './count.ts';

/** Estimate without margin of a stored item, in tokens (SPEC section 5). */
export function measureItem(
  codec: Codec,
  item: Item,
  count: TextCounter,
  config: Config,
): { normalised: Normalised; tokens: number } {
  const normalised = codec.normalise(item);
  return { normalised, tokens: countItem(normalised, count, config) };
}

/** All tokens of a model call, as context for the next one; undefined when none were reported. */
export function usageTokens(item: Normalised): number | undefined {
  if (item.kind !== 'message' || item.usage === undefined) return undefined;
  const { input, output, cache_read, cache_creation } = item.usage;
  return input + output + cache_read + cache_creation;
}
