import { describe, expect, it } from 'vitest';
import { fitInput } from '../../../src/domain/compaction/fit-input.ts';
import { planFull } from '../../../src/domain/compaction/full.ts';
import { materialOf } from '../../../src/domain/compaction/material.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { estimator, withSafetyMargin } from '../../../src/domain/tokens/count.ts';
import { configWith, viewIn } from '../../support/given.ts';

const CALLS = 12;
const REQUEST_SEQ = 2;
const LONG = 'step of the nightly build '.repeat(400);
const places = Array.from({ length: CALLS }, (_, place) => place);

/** Each answer holds the end of the program before and begins the next. */
const chained: Item[] = places.flatMap((place): Item[] => {
  const caller = { type: 'code_execution_20250825', tool_id: `s${place}` };
  const run = { type: 'server_tool_use', id: `s${place}`, name: 'code_execution', input: {} };
  const call = { type: 'tool_use', id: `t${place}`, name: 'read', input: {}, caller };
  const ended = { type: 'code_execution_tool_result', tool_use_id: `s${place - 1}`, content: {} };
  const result = { type: 'tool_result', tool_use_id: `t${place}`, content: LONG };
  return [
    { role: 'assistant', content: place === 0 ? [run, call] : [ended, run, call] },
    { role: 'user', content: [result] },
  ];
});

/** One program makes all of the calls. */
const endless: Item[] = [
  { type: 'program', id: 'prg', call_id: 'p', code: 'for (;;) read()', fingerprint: 'f' },
  ...places.flatMap((place): Item[] => {
    const caller = { type: 'program', caller_id: 'p' };
    const of = { call_id: `c${place}`, caller };
    return [
      { type: 'function_call', name: 'read', arguments: '{}', ...of },
      { type: 'function_call_output', output: LONG, ...of },
    ];
  }),
];

describe.each([
  ['anthropic', 'programs that begin with the end of the one before', chained],
  ['openai-responses', 'a program that does not end', endless],
] as const)('%s: %s', (format, _, items) => {
  const view = viewIn(format, [{ role: 'user', content: 'Read all logs.' }, ...items]);
  const config = configWith();
  const tokens = withSafetyMargin(
    view.entries.reduce((sum, entry) => sum + entry.tokens, 0),
    config,
  );
  const plan = (context_window: number) =>
    planFull({
      view,
      material: materialOf(view),
      config,
      count: estimator(config),
      tokens,
      threshold: Math.floor(context_window * 0.9),
      before: null,
      context_window,
      is_automatic: true,
    });

  it('stay whole as long as the next request has room', () => {
    // What was said before them may be summarised.
    expect(plan(tokens * 2)).toMatchObject({ kind: 'full', through: REQUEST_SEQ });
  });

  it('are cut where the next request would be refused, and what stays is valid', () => {
    const found = plan(tokens);
    if (found.kind !== 'full') throw new Error('nothing was planned');
    const kept = view.entries.slice(found.through - 1).map(({ item }) => item);
    const codec = codecFor(format);
    expect(codec.violations(codec.render(kept))).toEqual([]);
    expect(found.kept_tokens).toBeLessThan(tokens / 2);
    // Nor may nothing be left of what is summarised, where the summariser has less room.
    const fitted = fitInput(found.conversation, 300, estimator(config), config);
    expect(fitted.items.length).toBeGreaterThan(0);
    expect(fitted.left_out.dropped_items).toBeGreaterThan(0);
  });
});
