import { afterEach, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { assistant, call, ofTokens, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';
import { countOf, post } from './post.ts';

let lab: SessionLab;
afterEach(() => lab.close());

const THRESHOLD = 10_000;
/** With the margin more than the threshold. */
const TOO_MUCH = ofTokens(9_000);

describe('L12 what no compaction can take away is above the threshold by itself', () => {
  it.each<[string, Item[], Item[]]>([
    ['the initial context', [user(TOO_MUCH)], [user('Go.')]],
    ['an open call', [], [user('Go.'), call('open', 'Bash', { command: TOO_MUCH })]],
  ])('ends by the breaker: %s', async (_what, initial_context, items) => {
    lab = await SessionLab.open('anthropic', {
      profile: 'claude-code',
      context_window: 200_000,
      initial_context,
      config: { auto_compact_threshold: THRESHOLD },
    });
    let requests = (await post(lab, ...items)) ? 1 : 0;
    for (let turn = 0; turn < 20; turn++) {
      if (await post(lab, assistant(ofTokens(2_000)))) requests += 1;
    }
    expect(requests).toBe(3);
    const reasons = (await lab.events()).flatMap((event) =>
      event.type === 'compaction.skipped' ? [event.data.reason] : [],
    );
    expect(reasons).toEqual(['irreducible_floor', 'irreducible_floor', 'irreducible_floor']);
    expect(await countOf(lab, 'breaker.opened')).toBe(1);
  });
});
