import type { Entry } from '../context/entry.ts';
import { codecFor } from '../items/codecs.ts';
import type { Format } from '../items/item.ts';
import { measureItem } from '../items/measure.ts';
import type { Config } from '../policy/config.ts';
import type { TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { isUserMessage, type Material, messageText } from './material.ts';

/**
 * The user's own messages that stay verbatim (`preserve_user_messages`, SPEC section 8): newest first
 * up to `user_message_max_tokens`, the one that crosses the budget cut in the middle; in their
 * original order. Earlier summaries are not user messages.
 */
export function preservedUserMessages(
  covered: readonly Material[],
  format: Format,
  config: Config,
  count: TextCounter,
): Entry[] {
  if (!config.preserve_user_messages) return [];
  const codec = codecFor(format);
  const preserved: Entry[] = [];
  let budget = config.user_message_max_tokens;
  for (const { entry, item } of covered.toReversed()) {
    if (budget <= 0) break;
    // A hook speaks as the user, and speaks again after each compaction.
    if (entry.origin === 'hook' || !isUserMessage(item)) continue;
    if (entry.tokens <= budget) {
      preserved.push({ ...entry, seq: null, origin: 'preserved' });
      budget -= entry.tokens;
      continue;
    }
    const cut = codec.message('user', truncateMiddle(messageText(item), budget, count));
    const { tokens } = measureItem(codec, cut, count, config);
    preserved.push({ seq: null, item: cut, tokens, origin: 'preserved' });
    break;
  }
  return preserved.reverse();
}
