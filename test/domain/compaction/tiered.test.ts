import { describe, expect, it } from 'vitest';
import { type CompactionPlan, planCompaction } from '../../../src/domain/compaction/plan.ts';
import { foldView } from '../../../src/domain/context/view.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { termsOf } from '../../../src/domain/session/head.ts';
import { appended, created, headOf, logOf, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';

const SETTINGS = { profile: 'tiered', config: { token_safety_multiplier: 1 } } as const;

/** What profile `tiered` does with these items in a window of 200,000 tokens: its target is 160,000. */
function planned(...items: Item[]): CompactionPlan {
  const events: NewEvent[] = [created(SETTINGS), ...items.map(appended)];
  const [first, ...later] = logOf(events);
  const head = headOf(events);
  if (first?.type !== 'session.created' || head === null) throw new Error('there is no session');
  const view = foldView({ created: first, base: null, events: later });
  const request = {
    mode: 'auto',
    trigger: 'auto',
    attribution: { path: 'append' },
    before: null,
    focus: null,
  } as const;
  return planCompaction(termsOf(head.settings, WORLD), head, view, request);
}

/** The kinds of edits that a plan makes, or the kind of the plan. */
function tierOf(plan: CompactionPlan): string {
  if (plan.kind !== 'micro') return plan.kind;
  return [...new Set(plan.micro.edits.map(({ kind }) => kind))].join(' and ');
}

const talk = (tokens: number): Item[] =>
  Array.from({ length: 40 }, (_, i) => {
    const said = ofTokens(Math.floor(tokens / 40));
    return i % 2 === 0 ? user(said) : assistant(said);
  });
const reads = (results: number, tokens: number): Item[] =>
  Array.from({ length: results }, (_, i) => tool(`t${i}`, 'Read', tokens)).flat();

describe('the three tiers of profile tiered', () => {
  it.each<[string, Item[], string]>([
    ['nothing below the target', talk(159_000), 'skip'],
    [
      'large results are truncated where that is enough',
      [...talk(100_000), ...reads(6, 12_000)],
      'truncated',
    ],
    [
      'old results are cleared where truncating is not enough',
      [...talk(140_000), ...reads(10, 3_000)],
      'cleared',
    ],
    [
      'the conversation is summarised where clearing is not enough',
      [...talk(158_000), ...reads(4, 3_000)],
      'full',
    ],
    ['and at once where there are no results', talk(161_000), 'full'],
  ])('%s', (_name, items, expected) => {
    expect(tierOf(planned(...items))).toBe(expected);
  });

  it('stop as soon as the target is reached, where that saves a fiftieth of the window', () => {
    const plan = planned(...talk(144_000), ...reads(4, 4_000), user('Go on.'));
    expect(tierOf(plan)).toBe('cleared');
    expect(plan).toMatchObject({ micro: { tokens_saved: 4_000 } });
    const little = planned(...talk(144_000), ...reads(4, 3_999), user('Go on.'), ...talk(8));
    expect(tierOf(little)).toBe('full');
  });

  it('keep the last three results, and head and tail of a truncated one', () => {
    const plan = planned(...talk(100_000), ...reads(6, 12_000));
    if (plan.kind !== 'micro') throw new Error('it truncates');
    expect(plan.micro.edits.map(({ tool_use_id }) => tool_use_id)).toEqual(['t0', 't1', 't2']);
    for (const { content, tokens_after } of plan.micro.edits) {
      expect(tokens_after).toBe(2_500);
      expect(content).toMatch(/^abc .*\n\[… about \d+ tokens left out …\]\n.*abc $/s);
    }
  });

  it('protect the last twelve messages from the summary', () => {
    const plan = planned(...talk(161_000));
    expect(plan).toMatchObject({ kind: 'full', through: 1 + 40 - 12 });
  });

  it('protect as many of them as leave room for the summary', () => {
    const plan = planned(
      ...Array.from({ length: 8 }, (_, i) => (i % 2 ? assistant : user)(ofTokens(20_100))),
    );
    if (plan.kind !== 'full') throw new Error('it summarises');
    expect(plan.kept_tokens).toBe(7 * 20_100);
  });
});
