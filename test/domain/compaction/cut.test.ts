import { describe, expect, it } from 'vitest';
import { chooseCut, laterCuts } from '../../../src/domain/compaction/cut.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { configWith, materialFor } from '../../support/given.ts';
import { assistant, call, ofTokens, PROGRESS, result, user } from '../../support/items.ts';

function cut(
  items: Item[],
  overrides: ConfigOverrides = {},
  first = 0,
  end = items.length,
): number | null {
  const config = configWith({ protected_messages: null, protected_tokens: null, ...overrides });
  return chooseCut(materialFor(items), first, end, config);
}

/** Messages of ten tokens each, by role: `u` user, `a` assistant. */
function talk(roles: string): Item[] {
  return [...roles].map((role) => (role === 'u' ? user : assistant)(ofTokens(10)));
}

describe('laterCuts', () => {
  it('are those after a cut, up to the end, none inside a pair', () => {
    const items = [...talk('ua'), call('c', 'Read'), result('c', 'x'), ...talk('ua')];
    expect(laterCuts(materialFor(items), 1, 6)).toEqual([2, 4, 5, 6]);
    expect(laterCuts(materialFor(items), 2, 5)).toEqual([4, 5]);
    expect(laterCuts(materialFor(items), 2, 3)).toEqual([]);
  });
});

describe('chooseCut', () => {
  it('is as late as possible', () => {
    expect(cut(talk('uaua'))).toBe(4);
  });

  it('never separates a call from its result, and leaves open calls after it', () => {
    const open = call('open', 'Read');
    const pair = [call('c', 'Read'), result('c', 'x')];
    expect(cut([...talk('ua'), ...pair])).toBe(4);
    expect(cut([...talk('ua'), ...pair, open])).toBe(4);
    expect(cut([...talk('u'), open, PROGRESS])).toBe(1);
    expect(cut([...talk('ua'), ...pair], { protected_messages: 1 })).toBe(2);
  });

  it.each([
    [0, 6],
    [1, 5],
    [2, 4],
    [5, 1],
  ])('protected_messages: %i', (protected_messages, expected) => {
    expect(cut(talk('uauaua'), { protected_messages })).toBe(expected);
  });

  it('counts messages, not other items, as protected messages', () => {
    expect(cut([...talk('uau'), PROGRESS, PROGRESS], { protected_messages: 1 })).toBe(2);
  });

  it('protects less rather than not to compact at all', () => {
    expect(cut(talk('uaua'), { protected_messages: 9 })).toBe(1);
  });

  it.each([
    // Only assistant messages: nothing near to start at, so exactly the budget is kept.
    ['exactly the budget', 'aaaaaaaaaaaaaaaaaaaa', 30, 17],
    ['at a user message a little earlier', 'aaaaaaaaaaaaaaaauaaa', 30, 16],
    ['at a user message a little later', 'aaaaaaaaaaaaaaaaaaua', 30, 18],
    ['not at a user message that is far away', 'aaaaaaaaauaaaaaaaaaa', 30, 17],
    ['never more than a quarter of the context', 'aaaaaaaaaaaaaaaaaaaa', 150, 15],
  ])('protected_tokens: %s', (_name, roles, protected_tokens, expected) => {
    expect(cut(talk(roles), { protected_tokens })).toBe(expected);
  });

  it('starts at what a user wrote, not at a tool result', () => {
    const items = [...talk('aaaaaaaaaaaaaaaa'), call('c', 'Read'), result('c', ofTokens(10))];
    expect(cut([...items, ...talk('ua')], { protected_tokens: 30 })).toBe(18);
  });

  it.each<[string, string, ConfigOverrides, number, number | null]>([
    ['goes no further', 'uauau', {}, 4, 4],
    ['nothing is left to cover', 'uauau', {}, 0, null],
    ['protection reaches further back', 'uauau', { protected_messages: 3 }, 4, 2],
    ['protection reaches less far', 'uauau', { protected_messages: 1 }, 3, 3],
    ['rather protects less, within it', 'uauau', { protected_messages: 9 }, 2, 1],
  ])('with an end: %s', (_name, roles, overrides, end, expected) => {
    expect(cut(talk(roles), overrides, 0, end)).toBe(expected);
  });

  it('with an end inside a pair of call and result: before the call', () => {
    const items = [...talk('ua'), call('c', 'Read'), result('c', 'x'), ...talk('u')];
    expect(cut(items, {}, 0, 3)).toBe(2);
    expect(cut(items, {}, 2, 3)).toBeNull();
  });

  it('covers at least one item after what earlier compactions made', () => {
    expect(cut(talk('uaua'), { protected_messages: 4 }, 2)).toBe(3);
    expect(cut([...talk('ua'), call('open', 'Read')], {}, 2)).toBeNull();
    expect(cut(talk('ua'), {}, 2)).toBeNull();
  });
});
