import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { DEFAULT_CONTEXT_WINDOW, profileConfig } from '../../src/domain/policy/profiles.ts';
import { estimator } from '../../src/domain/tokens/count.ts';
import { measureItem } from '../../src/domain/tokens/measure.ts';

const config = profileConfig('default', DEFAULT_CONTEXT_WINDOW);

/** The one counter of this measurement: the default estimate, without safety margin. */
export const countTokens = estimator(config);

/** What the estimate takes for a token. */
export const BYTES_PER_TOKEN = config.approx_bytes_per_token;

/** Tokens of an item by that counter. */
export function tokensOf(format: Format, item: Item): number {
  return measureItem(codecFor(format), item, countTokens, config).tokens;
}
