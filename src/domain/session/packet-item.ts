import { codecFor } from '../items/codecs.ts';
import { isStillDue } from '../policy/tiers.ts';
import { measureItem } from '../tokens/measure.ts';
import { thresholds } from '../tokens/thresholds.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { advance } from './advance.ts';
import type { NewEvent } from './events.ts';
import { contextTokens, type Head, type Running } from './head.ts';
import type { Terms } from './world.ts';

/** A packet that has to be cut to fewer tokens than this says nothing. */
const LEAST_TOKENS = 32;

/**
 * The packet of a compaction as the item that is written with it, so that it is appended at most once
 * (SPEC section 12). `after` is the head after the compaction. A packet that would make the context
 * larger than before, or lift it to where the next compaction is due, is cut in the middle until it
 * does not; empty when none belongs to the compaction, or no room is left for one.
 */
export function packetItem(
  terms: Terms,
  running: Running,
  text: string,
  heads: { before: Head; after: Head },
  at: string,
): NewEvent[] {
  if (running.packet === null) return [];
  const { config, tokenizers } = terms;
  const count = counterFor(config, tokenizers);
  const codec = codecFor(heads.before.settings.format);
  const fits = fitting(heads, running, terms);
  let most = Math.min(config.packet_max_tokens, count(text));
  for (;;) {
    const cut = truncateMiddle(text, most, count);
    const item = codec.message('user', cut, { is_meta: true });
    const { tokens } = measureItem(codec, item, count, config);
    const event: NewEvent = { type: 'item.appended', data: { item, tokens, source: 'packet' } };
    if (fits(contextTokens(advance(heads.after, [event], at).state, config))) return [event];
    most = Math.floor(most * 0.8);
    if (most < LEAST_TOKENS) return [];
  }
}

/** Whether the context may hold so many tokens with the packet. */
function fitting(
  { before, after }: { before: Head; after: Head },
  { attribution }: Running,
  { config, context_window: window }: Terms,
): (tokens: number) => boolean {
  const { threshold } = thresholds(config, window);
  const lines = [
    (tokens: number) => tokens >= threshold,
    (tokens: number) => isStillDue(attribution, tokens, config, window),
  ];
  const tokensBefore = contextTokens(before.state, config);
  const bare = contextTokens(after.state, config);
  // A line that the compaction itself has not got under is none that the packet could cross.
  const crossable = lines.filter((isAbove) => !isAbove(bare));
  return (tokens) => tokens < tokensBefore && !crossable.some((isAbove) => isAbove(tokens));
}
