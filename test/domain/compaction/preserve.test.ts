import { describe, expect, it } from 'vitest';
import { preservedUserMessages } from '../../../src/domain/compaction/preserve.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { estimator } from '../../../src/domain/tokens/count.ts';
import { configWith, materialFor } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';

function preserved(items: Item[], user_message_max_tokens: number, preserve_user_messages = true) {
  const config = configWith({ preserve_user_messages, user_message_max_tokens });
  return preservedUserMessages(materialFor(items), 'anthropic', config, estimator(config));
}

const one = user(`1${ofTokens(100)}`.slice(0, 400));
const two = user(`2${ofTokens(100)}`.slice(0, 400));
const entry = (item: Item) => ({ seq: null, item, tokens: 100, origin: 'preserved' });

describe('preservedUserMessages', () => {
  it('keeps what the user wrote, in its order, as it was posted', () => {
    const items = [one, assistant('a'), ...tool('t', 'Read', 50), two];
    expect(preserved(items, 1_000)).toEqual([entry(one), entry(two)]);
  });

  it('keeps no summaries, meta messages or tool results', () => {
    const items = [
      user('s', { is_compact_summary: true }),
      user('m', { is_meta: true }),
      ...tool('t', 'Read', 5),
    ];
    expect(preserved(items, 1_000)).toEqual([]);
  });

  it('goes from the newest up to the budget', () => {
    expect(preserved([one, two], 200)).toEqual([entry(one), entry(two)]);
    expect(preserved([one, two], 100)).toEqual([entry(two)]);
    expect(preserved([one, two], 0)).toEqual([]);
  });

  it('takes nothing that is older than the one that crosses the budget', () => {
    const found = preserved([user('old and short'), one, two], 120);
    expect(found).toHaveLength(2);
    expect(found[0]?.item.content).toMatch(/^1abc/);
    expect(found[1]).toEqual(entry(two));
  });

  it('cuts the message that crosses the budget in the middle', () => {
    const [first, second, ...others] = preserved([user('gone'), one, two], 150);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ seq: null, origin: 'preserved', item: { role: 'user' } });
    expect(first?.item.content).toMatch(/^1abc .*left out.*$/s);
    expect(first?.tokens).toBeLessThanOrEqual(50);
    expect(second).toEqual(entry(two));
  });

  it('does nothing unless it is switched on', () => {
    expect(preserved([one, two], 1_000, false)).toEqual([]);
  });
});
