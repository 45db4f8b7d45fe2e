import { describe, expect, it } from 'vitest';
import { materialOf } from '../../../src/domain/compaction/material.ts';
import {
  clearable,
  type MicroPlan,
  planMicro,
  planShortening,
} from '../../../src/domain/compaction/micro.ts';
import { standingOf, standingsOf } from '../../../src/domain/context/standing.ts';
import { clearedResults, type View } from '../../../src/domain/context/view.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { savedBy } from '../../../src/domain/session/result-edits.ts';
import { estimator } from '../../../src/domain/tokens/count.ts';
import { expectTrue } from '../../support/check-digest.ts';
import { appended, configWith, created, logOf, viewOf } from '../../support/given.ts';
import { assistant, call, IMAGE, result, text, user } from '../../support/items.ts';

const BASE: ConfigOverrides = {
  micro_compact_strategy: 'all_older',
  micro_compact_keep_last_n_tools: 0,
  micro_compact_min_tokens_to_save: 100,
  micro_compact_replacement: 'digest',
};

function inputOf(view: View, overrides: ConfigOverrides) {
  const config = configWith({ ...BASE, ...overrides });
  const limits = { tokens: 999, threshold: 1_000, before: null, context_window: 20_000 };
  const count = estimator(config);
  return { view, material: materialOf(view), config, count, ...limits, is_automatic: true };
}

const plan = (view: View, overrides: ConfigOverrides = {}) => planMicro(inputOf(view, overrides));

function applied(micro: MicroPlan): NewEvent {
  const rest = {
    tokens_before: 0,
    tokens_after: 0,
    is_above_threshold: false,
    is_still_due: false,
  };
  const data = {
    compaction_id: 'c',
    strategy: 'all_older' as const,
    ...micro,
    ...rest,
    duration_ms: 0,
  };
  return { type: 'compaction.micro_completed', data };
}

/** 100 lines with a name each, some 1,400 tokens. */
const OUTPUT = Array.from(
  { length: 100 },
  (_, n) => `line ${n} of what was printed has nameNumber${n} in it`,
);
const LONG = OUTPUT.join('\n');
const ran = (id: string, output = LONG): Item[] => [
  call(id, 'Bash', { command: 'make' }),
  result(id, output),
];

describe('micro-compaction with digests', () => {
  it('puts the lines that say most in place of a result, and counts what they take', () => {
    const found = plan(viewOf([user('go'), ...ran('a'), assistant('Done.')]));
    const [edit] = found?.edits ?? [];
    expect(edit).toMatchObject({ kind: 'digested', tool_use_id: 'a' });
    expectTrue(edit?.content ?? '', LONG);
    const [before = 0, after = 0] = [edit?.tokens_before, edit?.tokens_after];
    expect(after).toBeLessThanOrEqual(before / 4);
    expect(found).toMatchObject({
      tokens_saved: before - after,
      result_tokens_before: before,
      result_tokens_after: after,
    });
  });

  it('quotes the lines whose names were written since, or before', () => {
    const numberIn = (...words: Item[]) => {
      const [edit] = plan(viewOf([user('go'), ...ran('a'), ...words]))?.edits ?? [];
      return edit?.content ?? '';
    };
    const left = OUTPUT.findIndex((line) => !numberIn(assistant('Done.')).includes(line));
    expect(numberIn(assistant(`I look at nameNumber${left}.`))).toContain(
      `${left + 1}:${OUTPUT[left]}`,
    );
    const asked = call('z', 'Read', { file_path: `src/nameNumber${left}` });
    expect(numberIn(asked)).toContain(OUTPUT[left]);
  });

  it('does not touch a digest again', () => {
    const items = [user('go'), ...ran('a'), assistant('Done.')];
    const first = plan(viewOf(items));
    if (first === null) throw new Error('nothing was planned');
    const view = viewOf(items, [applied(first)]);
    expect(clearedResults(view)).toEqual(['a']);
    expect(plan(view, { micro_compact_min_tokens_to_save: 0 })).toBeNull();
    expect(
      plan(view, { micro_compact_min_tokens_to_save: 0, micro_compact_replacement: 'placeholder' }),
    ).toBeNull();
  });

  it('stands for a result that is not in the context any more', () => {
    const items = [user('go'), ...ran('a'), assistant('Done.')];
    const found = plan(viewOf(items)) ?? expect.unreachable('nothing was planned');
    const log = logOf([created(), ...items.map(appended), applied(found)]);
    const result = log.find(({ version }) => version === found.edits[0]?.seq);
    if (result?.type !== 'item.appended') throw new Error('the result is missing');
    expect(standingOf(standingsOf(log), result, 'a')).toEqual({
      state: 'cleared',
      compaction_id: 'c',
    });
    const forked = { ...result, data: { ...result.data, edits: found.edits } };
    expect(standingOf(standingsOf([]), forked, 'a')).toEqual({
      state: 'cleared',
      compaction_id: null,
    });
  });

  it('digests the original of what was cut in the middle', () => {
    const items = [user('go'), ...ran('a'), assistant('Done.')];
    const cut = plan(viewOf(items), { micro_compact_truncate_over_tokens: 400 });
    if (cut === null) throw new Error('nothing was planned');
    expect(cut.edits).toMatchObject([{ kind: 'truncated' }]);
    const [edit] = plan(viewOf(items, [applied(cut)]))?.edits ?? [];
    expect(edit).toMatchObject({ kind: 'digested', tokens_before: cut.edits[0]?.tokens_after });
    expectTrue(edit?.content ?? '', LONG);
    expect(edit?.tokens_after).toBeLessThanOrEqual((edit?.tokens_before ?? 0) / 4);
  });

  describe('of a result that has to stay and is too large', () => {
    const items = [user('go'), ...ran('a')];
    /** In a window of which a tenth is 600 tokens; a quarter of the threshold is as much. */
    const shortened = (view = viewOf(items), overrides: ConfigOverrides = {}, window = 6_000) => {
      const limits = { context_window: window, threshold: Math.min(2_400, window) };
      const [edit] = planShortening({ ...inputOf(view, overrides), ...limits })?.edits ?? [];
      return edit ?? expect.unreachable('nothing was shortened');
    };

    it('stands there in as many tokens as it may keep', () => {
      const edit = shortened();
      expect(edit).toMatchObject({ kind: 'truncated', tool_use_id: 'a' });
      expectTrue(edit.content, LONG);
      const margin = configWith({}).token_safety_multiplier;
      expect(edit.tokens_after).toBeLessThanOrEqual(600 / margin);
      // More than what an old result would keep.
      expect(edit.tokens_after).toBeGreaterThan(edit.tokens_before * 0.3);
    });

    it('quotes the lines whose names user or agent have written', () => {
      const left = OUTPUT.findIndex((line) => !shortened().content.includes(line));
      const { content } = shortened(viewOf([user(`Look at nameNumber${left}.`), ...ran('a')]));
      expect(content).toContain(`${left + 1}:${OUTPUT[left]}`);
    });

    it('is cut in the middle where old results get a placeholder, or it is too short to say anything', () => {
      const cut = shortened(viewOf(items), { micro_compact_replacement: 'placeholder' });
      expect(cut.content).toMatch(/tokens left out …\]/);
      expect(shortened(viewOf(items), {}, 300).content).toMatch(/tokens left out …\]/);
    });

    it('is digested again when it is old', () => {
      const edit = shortened();
      const first = {
        edits: [edit],
        tokens_saved: 1,
        result_tokens_before: 1,
        result_tokens_after: 0,
      };
      const view = viewOf([...items, assistant('Done.'), user('Go on.')], [applied(first)]);
      expect(clearedResults(view)).toEqual([]);
      const [again] = plan(view)?.edits ?? [];
      expect(again).toMatchObject({ kind: 'digested', tokens_before: edit.tokens_after });
      expectTrue(again?.content ?? '', LONG);
    });
  });

  it.each<[string, Item[], ConfigOverrides]>([
    [
      'of less than 200 tokens',
      ran('a', LONG.slice(0, 790)),
      { micro_compact_min_result_tokens: 100 },
    ],
    ['that holds nothing but an image', [call('a', 'Bash', {}), result('a', [IMAGE])], {}],
    [
      'of which there are two',
      [
        call('a', 'Bash', {}),
        {
          role: 'user',
          content: [result('a', LONG), result('a', LONG)].flatMap(
            ({ content }) => content as Item[],
          ),
        },
      ],
      {},
    ],
    ['that is a digest that somebody else has put there', ran('a', `[Digest: text]\n${LONG}`), {}],
  ])('leaves the placeholder alone in place of a result %s', (_, items, overrides) => {
    const found = plan(viewOf([user('go'), ...items, assistant('Done.')]), overrides);
    expect(found?.edits).toMatchObject([
      { kind: 'cleared', content: '[Old tool result content cleared]' },
    ]);
  });

  it('never touches a result of less than 200 tokens', () => {
    const items = [user('go'), ...ran('a', LONG.slice(0, 790)), ...ran('b')];
    expect(plan(viewOf(items))?.edits.map(({ tool_use_id }) => tool_use_id)).toEqual(['b']);
  });

  it('says where an image stood among the text', () => {
    const items = [call('a', 'Bash', {}), result('a', [text(LONG), IMAGE, text('the end')])];
    const [edit] = plan(viewOf([user('go'), ...items, assistant('Done.')]))?.edits ?? [];
    expectTrue(edit?.content ?? '', `${LONG}\n[image]\nthe end`);
    expect(edit?.kind).toBe('digested');
  });

  it('takes as many results as it needs with what stays of them', () => {
    const items = [
      user('go'),
      ...['a', 'b', 'c', 'd'].flatMap((id) => ran(id)),
      assistant('Done.'),
    ];
    const all = plan(viewOf(items))?.edits ?? [];
    const size = all[0]?.tokens_before ?? 0;
    const until = (target: number) =>
      plan(viewOf(items), {
        micro_compact_strategy: 'until_target',
        micro_compact_target_tokens: target,
      })?.edits.length;
    expect(until(size * 3)).toBe(2);
    expect(until(4 * size - savedBy(all.slice(0, 1)))).toBe(1);
  });

  it('saves what it says: a digest is no gain as long as the minimum is not reached', () => {
    const items = [user('go'), ...ran('a'), assistant('Done.')];
    const saved = plan(viewOf(items))?.tokens_saved ?? 0;
    expect(plan(viewOf(items), { micro_compact_min_tokens_to_save: saved })).not.toBeNull();
    const short = { micro_compact_min_tokens_to_save: saved + 1 };
    expect(plan(viewOf(items), short)).toBeNull();
    expect(clearable(inputOf(viewOf(items), short)).chosen).toEqual({ results: 1, tokens: saved });
  });
});
