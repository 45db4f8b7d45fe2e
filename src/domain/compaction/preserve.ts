import type { Entry } from '../context/entry.ts';
import { codecFor } from '../items/codecs.ts';
import type { Format } from '../items/item.ts';
import { measureItem } from '../items/measure.ts';
import { isAllOfUser, isUserMessage, userText } from '../items/speaker.ts';
import type { Config } from '../policy/config.ts';
import type { TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import type { Material } from './material.ts';

/**
 * The user's own messages that stay verbatim (`preserve_user_messages`, SPEC section 8): newest first
 * up to `user_message_max_tokens`, the one that crosses the budget cut in the middle; in their
 * original order. Of a message in which programs speak as well, the user's words stay.
 */
export function preservedUserMessages(
  covered: readonly Material[],
  format: Format,
  config: Config,
  count: TextCounter,
): Entry[] {
  if (!config.preserve_user_messages) return [];
  const codec = codecFor(format);
  const ownWords = (text: string) => {
    const message = codec.message('user', text);
    return { item: message, tokens: measureItem(codec, message, count, config).tokens };
  };
  const preserved: Entry[] = [];
  let budget = config.user_message_max_tokens;
  for (const { entry, item } of covered.toReversed()) {
    if (budget <= 0) break;
    if (!isUserMessage(item)) continue;
    const isWhole = isAllOfUser(item) || item.parts.some(({ kind }) => kind === 'image');
    const own = isWhole ? entry : ownWords(userText(item));
    if (own.tokens <= budget) {
      preserved.push({ ...own, seq: null, origin: 'preserved' });
      budget -= own.tokens;
      continue;
    }
    const cut = codec.message('user', truncateMiddle(userText(item), budget, count));
    const { tokens } = measureItem(codec, cut, count, config);
    preserved.push({ seq: null, item: cut, tokens, origin: 'preserved' });
    break;
  }
  return preserved.reverse();
}
