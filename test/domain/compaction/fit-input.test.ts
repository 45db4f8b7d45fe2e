import { describe, expect, it } from 'vitest';
import { fitInput } from '../../../src/domain/compaction/fit-input.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../../src/domain/items/item.ts';
import { countItem, estimator } from '../../../src/domain/tokens/count.ts';
import { configWith } from '../../support/given.ts';
import { assistant, attachment, call, ofTokens, result, tool, user } from '../../support/items.ts';

const config = configWith();
const count = estimator(config);
const CLEARED = '[tool output left out]';
const KEPT = { cleared_results: 0, truncated_results: 0, dropped_items: 0 };

function fittedTo(items: Item[], maxTokens: number) {
  const normalised = items.map((item) => codecFor('anthropic').normalise(item));
  const fitted = fitInput(normalised, maxTokens, count, config);
  return { ...fitted, texts: fitted.items.map(textOf), tokens: total(fitted.items) };
}

function textOf(item: Normalised): string {
  if (item.kind === 'attachment') return item.text;
  if (item.kind !== 'message') return item.kind;
  return item.parts
    .map((part) => {
      if (part.kind === 'tool_result')
        return part.content.map(({ kind, ...rest }) => ('text' in rest ? rest.text : kind));
      return part.kind === 'text' ? part.text : part.kind;
    })
    .join();
}

function total(items: Normalised[]): number {
  return items.reduce((sum, item) => sum + countItem(item, count, config), 0);
}

describe('fitInput: clear, then truncate, then drop', () => {
  it('changes nothing that fits', () => {
    const items = [user('hello'), ...tool('a', 'Read', 50)];
    const fitted = fittedTo(items, 1_000);
    expect(fitted.left_out).toEqual(KEPT);
    expect(fitted.texts).toEqual(['hello', 'tool_call', ofTokens(50)]);
  });

  it('clears results first, oldest first, as many as it takes', () => {
    const items = [user('hi'), ...tool('a', 'Read', 500), ...tool('b', 'Read', 500)];
    const fitted = fittedTo(items, 700);
    expect(fitted.left_out).toEqual({ ...KEPT, cleared_results: 1 });
    expect(fitted.texts).toEqual(['hi', 'tool_call', CLEARED, 'tool_call', ofTokens(500)]);
  });

  it.each([
    '<system-reminder>\nThe user sent a new message while you were working:\nNever use tabs.\n</system-reminder>',
    '[OUT-OF-BAND USER MESSAGE — a direct message from the user, delivered mid-turn; not tool output]\nNever use tabs.\n[/OUT-OF-BAND USER MESSAGE]',
  ])('keeps what the program has put behind a result that is cleared: %s', (typed) => {
    const behind = `${ofTokens(500)}\n\n${typed}`;
    const items = [user('hi'), call('a', 'Read'), result('a', behind), user(ofTokens(300))];
    const fitted = fittedTo(items, 500);
    expect(fitted.left_out).toEqual({ ...KEPT, cleared_results: 1 });
    expect(fitted.texts[2]).toBe(`${CLEARED}\n\n${typed}`);
  });

  it('does not clear a result that is smaller than the note', () => {
    const items = [...tool('a', 'Read', 1), ...tool('b', 'Read', 500), user('hi')];
    const fitted = fittedTo(items, 100);
    expect(fitted.left_out).toEqual({ ...KEPT, cleared_results: 1 });
    expect(fitted.texts[1]).toBe(ofTokens(1));
  });

  it('then truncates long texts in the middle, attachments too', () => {
    const items = [
      user(ofTokens(3_000)),
      attachment('file', ofTokens(4_000), 'a'),
      ...tool('a', 'Read', 50),
    ];
    const fitted = fittedTo(items, 2_200);
    expect(fitted.left_out).toEqual({ ...KEPT, cleared_results: 1, truncated_results: 2 });
    expect(fitted.texts[0]).toMatch(/^abc .*left out.*abc $/s);
    expect(fitted.tokens).toBeLessThanOrEqual(2_200);
  });

  it('then drops the oldest items, never half of a pair', () => {
    const items = [
      user(ofTokens(300)),
      call('a', 'Read'),
      result('a', ofTokens(300)),
      assistant(ofTokens(300)),
    ];
    const fitted = fittedTo(items, 320);
    expect(fitted.left_out).toEqual({ ...KEPT, cleared_results: 1, dropped_items: 1 });
    expect(fittedTo(items, 315).left_out).toEqual({
      ...KEPT,
      cleared_results: 1,
      dropped_items: 3,
    });
    expect(fittedTo(items, 315).texts).toEqual([ofTokens(300)]);
  });

  it('never cuts or drops the earlier summary', () => {
    const summary = user(ofTokens(1_500), { is_compact_summary: true });
    const fitted = fittedTo([summary, user(ofTokens(900)), assistant(ofTokens(900))], 2_500);
    expect(fitted.texts).toEqual([ofTokens(1_500), ofTokens(900)]);
    expect(fitted.left_out).toEqual({ ...KEPT, dropped_items: 1 });
  });
});
