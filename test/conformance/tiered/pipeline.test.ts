import { afterEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, call, ofTokens, result, tool, user } from '../../support/items.ts';
import { compactByItself, last, StubModel, steps } from '../lab.ts';
import { GOOD, openLab } from './lab.ts';

/** Messages of user and agent in turn, of so many tokens each. */
function talk(messages: number, tokens: number): Item[] {
  return Array.from({ length: messages }, (_, n) =>
    n % 2 === 0 ? user(ofTokens(tokens)) : assistant(ofTokens(tokens)),
  );
}

/** Calls of a tool whose results have these sizes. */
function results(...sizes: number[]): Item[] {
  return sizes.flatMap((tokens, n) => tool(`r${n}`, 'Read', tokens));
}

/** The same, called and answered at once: the model has read none of them. */
function unread(...sizes: number[]): Item[] {
  const use = (_: number, n: number) => ({
    type: 'tool_use',
    id: `r${n}`,
    name: 'Read',
    input: {},
  });
  const answer = (tokens: number, n: number) => ({
    type: 'tool_result',
    tool_use_id: `r${n}`,
    content: ofTokens(tokens),
  });
  return [assistant(sizes.map(use)), user(sizes.map(answer))];
}

/** Each reaches 160,000 tokens; the margin is a third. */
const LONG_RESULT = [...talk(2, 35_000), ...results(52_000, 100, 100, 100)];
const MANY_RESULTS = [...talk(20, 5_000), ...results(3_000, ...Array<number>(10).fill(2_400))];
const LONG_TALK = [...talk(20, 6_500), ...results(3_000, 100, 100, 100)];

describe('the three tiers', () => {
  it('TI-02, TI-05: tier 1 shortens a large result, and that is all when it is enough', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, ...LONG_RESULT);
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    const { edits, is_above_threshold } = last(events, 'compaction.micro_completed').data;
    expect(is_above_threshold).toBe(false);
    expect(edits).toMatchObject([{ tool_use_id: 'r0', kind: 'truncated', tokens_before: 52_000 }]);
    const [edit] = edits;
    expect(edit?.tokens_after).toBeGreaterThan(2_400);
    expect(edit?.tokens_after).toBeLessThanOrEqual(2_500);
    expect(edit?.content).toMatch(/^abc [\s\S]*\n\[… about \d+ tokens left out …\]\n[\s\S]*abc $/);
    expect(model.requests).toEqual([]);
  });

  it.each([
    [2_500, 0],
    [2_501, 1],
  ])('TI-02: a result of %i tokens is shortened: %i', async (tokens, shortened) => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const [before, after] = [talk(2, 57_000), results(tokens, 30_000, 100, 100, 100)];
    const events = await compactByItself(lab, ...before, ...after);
    const { edits } = last(events, 'compaction.micro_completed').data;
    expect(edits.filter(({ tool_use_id }) => tool_use_id === 'r0')).toHaveLength(shortened);
  });

  it.each([
    ['the newest', results(100, 100, 60_000), 'r2'],
    ['one that the model has not read yet', unread(60_000, 100, 100, 100), 'r0'],
  ])('TI-02, TI-14: %s is shortened above a tenth of the window, to that', async (_, items, id) => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, ...talk(2, 32_000), ...items);
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    const { edits } = last(events, 'compaction.micro_completed').data;
    expect(edits).toMatchObject([{ tool_use_id: id, kind: 'truncated', tokens_before: 60_000 }]);
    expect(edits[0]?.tokens_after).toBeGreaterThan(14_000);
    expect(edits[0]?.tokens_after).toBeLessThanOrEqual(20_000);
    expect(model.requests).toEqual([]);
  });

  it('TI-03: tier 2 takes results of any tool, and errors too', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const other = [
      ...tool('mcp', 'mcp__db__query', 2_400),
      call('edit', 'Edit'),
      result('edit', ofTokens(2_400), { is_error: true }),
    ];
    const items = [...talk(20, 5_600), ...other, ...results(2_400, 2_400, 100, 100, 100)];
    const events = await compactByItself(lab, ...items);
    const { edits } = last(events, 'compaction.micro_completed').data;
    expect(edits.map(({ tool_use_id, kind }) => [tool_use_id, kind])).toEqual(
      ['mcp', 'edit', 'r0', 'r1'].map((id) => [id, 'cleared']),
    );
  });

  it('TI-03, TI-05: tier 2 removes the content of old results when that is not enough', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, ...MANY_RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    const { edits, is_above_threshold } = last(events, 'compaction.micro_completed').data;
    expect(is_above_threshold).toBe(false);
    expect(new Set(edits.map(({ kind }) => kind))).toEqual(new Set(['cleared']));
    expect(edits.map(({ tool_use_id }) => tool_use_id)).toEqual(
      ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'], // all but the last three
    );
    expect(new Set(edits.map(({ content }) => content))).toEqual(
      new Set(['[Old tool result content cleared]']),
    );
    expect(model.requests).toEqual([]);
  });

  it('TI-04, TI-05: tier 3 summarises when that is not enough either', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, ...LONG_TALK);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    expect(last(events, 'compaction.completed').data.mode).toBe('full');
    expect(model.requests).toHaveLength(1);
  });

  it('TI-01, TI-04: long talk without any tool output goes to tier 3', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, ...talk(20, 6_500));
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    const { report } = last(events, 'compaction.completed').data;
    expect(report.tokens_before).toBeGreaterThanOrEqual(160_000);
    expect(report.is_above_threshold).toBe(false);
    expect(model.requests).toHaveLength(1);
  });

  it('TI-06: tier 3 reads the results as they were, and leaves those that stay alone', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const kept = results(4_000, 4_000, 4_000, 11_000, 11_000, 11_000);
    const whole = `The whole of it: ${ofTokens(3_000)}`;
    const first = tool('whole', 'Read', 0).map((item, n) =>
      n === 1 ? user([{ type: 'tool_result', tool_use_id: 'whole', content: whole }]) : item,
    );
    const events = await compactByItself(lab, ...first, ...talk(20, 4_500), ...kept);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    expect(model.prompt.includes(whole)).toBe(true);
    const { entries } = await lab.view();
    expect(entries.filter(({ origin }) => origin === 'log').map(({ item }) => item)).toEqual(kept);
  });
});

describe('the target', () => {
  const EXACT = { token_safety_multiplier: 1 };
  const withTalk = (tokens: number) => [
    ...talk(14, 10_000),
    assistant(ofTokens(tokens)),
    ...results(2_000, 2_000, 2_000, 2_000, 100, 100, 100),
  ];

  it('TI-07: it is the trigger: tiers 1 and 2 have to come below 160,000', async () => {
    const probe = await openLab(EXACT);
    const some = last(
      await compactByItself(probe, ...withTalk(15_000)),
      'compaction.micro_completed',
    );
    const missing = 159_999 - some.data.tokens_after;
    const enough = await openLab(EXACT);
    const reached = await compactByItself(enough, ...withTalk(15_000 + missing));
    expect(last(reached, 'compaction.micro_completed').data).toMatchObject({
      tokens_after: 159_999,
      is_above_threshold: false,
    });
    const over = await openLab(EXACT);
    StubModel.of(over, GOOD);
    const missed = await compactByItself(over, ...withTalk(15_000 + missing + 1));
    expect(steps(missed)).toEqual(['requested', 'started', 'completed']);
  });

  it('TI-08: a saving of a fiftieth of the window that is enough is taken, a smaller one is not', async () => {
    const lab = await openLab(EXACT);
    const sizes = [2_000, 2_000, 100, 100, 100];
    const events = await compactByItself(lab, ...talk(16, 9_800), ...results(...sizes));
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    const { tokens_saved } = last(events, 'compaction.micro_completed').data;
    expect(tokens_saved).toBe(4_000);
    const less = await openLab(EXACT);
    StubModel.of(less, GOOD);
    const small = [2_000, 1_999, 100, 100, 101];
    const other = await compactByItself(less, ...talk(16, 9_800), ...results(...small));
    expect(steps(other)).toEqual(['requested', 'started', 'completed']);
  });

  it('TI-08: nor is a result under 200 tokens touched', async () => {
    const lab = await openLab(EXACT);
    const sizes = [3_000, 199, 200, 2_000, 100, 100, 100];
    const events = await compactByItself(lab, ...talk(16, 9_700), ...results(...sizes));
    const { edits } = last(events, 'compaction.micro_completed').data;
    expect(edits.map(({ tool_use_id }) => tool_use_id)).toEqual(['r0', 'r2', 'r3']);
  });
});

describe('results and functions', () => {
  let api: ApiServer | undefined;
  afterEach(async () => {
    await api?.close();
    api = undefined;
  });

  it('TI-71: tiers 1 and 2 need no model: a dry run answers them at once', async () => {
    api = await startApi();
    const session = { id: 's', profile: 'tiered', context_window: 10_000 };
    await send(api, 'POST', '/sessions', { body: session });
    const body = results(4_000, 500, 100, 100, 100);
    const appended = await send(api, 'POST', '/sessions/s/items', { body });
    const reply = await send(api, 'POST', '/sessions/s/compact', { body: { dry_run: true } });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      action: 'micro',
      cleared_tool_results: [{ tool_use_id: 'r0', kind: 'truncated' }],
    });
    expect((await send(api, 'GET', '/sessions/s')).body.version).toBe(appended.body.version);
  });

  it.each([
    ['of tiers 1 and 2 is null', results(4_000, 4_000, 100, 100, 100), null],
    ['of tier 3 is its text', talk(20, 320), expect.stringContaining('## Task state')],
  ])('TI-72: one request runs all tiers, and the summary %s', async (_which, body, summary) => {
    api = await startApi();
    const session = { id: 's', profile: 'tiered', context_window: 10_000 };
    await send(api, 'POST', '/sessions', { body: session });
    const reply = await send(api, 'POST', '/sessions/s/items', { body });
    expect(reply.body.compaction).toMatchObject({ mode: 'auto', trigger: 'auto' });
    await api.work(api.dispatched.at(-1));
    const id = api.dispatched.at(-1)?.compaction_id;
    expect((await send(api, 'GET', `/sessions/s/compactions/${id}`)).body).toMatchObject({
      mode: 'auto',
      summary,
    });
  });
});
