import { afterEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../../support/items.ts';
import { append, last, reporting, StubModel, WINDOW } from '../lab.ts';
import { appendTo, GOOD, openLab } from './lab.ts';

/** What an append answers that brings the context to so many tokens. */
function at(tokens: number, window = WINDOW, config: ConfigOverrides = {}) {
  return appendTo([reporting(tokens)], config, { window }).answer;
}

describe('trigger and warning', () => {
  it.each([
    [200_000, 160_000],
    [1_000_000, 800_000],
    [32_000, 25_600],
    [8_000, 6_400],
  ])('TI-60, TI-63: in a window of %i tokens compaction begins at %i', (window, trigger) => {
    const below = at(trigger - 1, window);
    expect(below.compaction).toBeNull();
    expect(below.context).toMatchObject({ limit: trigger, is_above_auto_compact: false });
    const reached = at(trigger, window);
    expect(reached.compaction).toMatchObject({ mode: 'auto', trigger: 'auto' });
    expect(reached.context.is_above_auto_compact).toBe(true);
  });

  it.each([
    [200_000, 140_000],
    [1_000_000, 700_000],
    [32_000, 22_400],
    [8_001, 5_600],
  ])('TI-62, TI-63: in a window of %i tokens the warning comes at %i', (window, warning) => {
    expect(at(warning - 1, window).context.is_above_warning).toBe(false);
    const reached = at(warning, window);
    expect(reached.context.is_above_warning).toBe(true);
    expect(reached.compaction).toBeNull();
  });

  it('TI-68: above the trigger the warning stands as well', () => {
    const { context, compaction } = at(160_000);
    expect(context).toMatchObject({ is_above_warning: true, is_above_auto_compact: true });
    expect(compaction).not.toBeNull();
  });

  it('TI-61: tokens are counted at each append: after a tool ran, and after the user spoke', () => {
    const FULL = ofTokens(121_000);
    const ran = [call('t', 'Bash'), result('t', FULL)];
    expect(appendTo(ran).answer.compaction).not.toBeNull();
    expect(appendTo([user(FULL)]).answer.compaction).not.toBeNull();
  });

  it('TI-74: auto = false leaves only compactions that somebody asks for', () => {
    const { compaction, context } = at(190_000, WINDOW, { auto_compact_enabled: false });
    expect(compaction).toBeNull();
    expect(context).toMatchObject({ is_above_auto_compact: false, is_above_warning: true });
    expect(at(190_000).compaction).not.toBeNull();
  });
});

describe('what a user interface shows', () => {
  let api: ApiServer | undefined;
  afterEach(async () => {
    await api?.close();
    api = undefined;
  });

  it.each([
    [144_000, 72],
    [90_000, 45],
  ])('TI-62, TI-64: %i tokens of the window are a share of %i percent', async (tokens, share) => {
    api = await startApi();
    const session = { id: 's', profile: 'tiered', context_window: WINDOW };
    await send(api, 'POST', '/sessions', { body: session });
    await send(api, 'POST', '/sessions/s/items', { body: reporting(tokens) });
    const { body } = await send(api, 'GET', '/sessions/s');
    expect(body.percent_used_of_window).toBe(share);
    // The hint of TI-62, for whoever only looks at the session.
    expect(body.context).toMatchObject({ is_above_warning: share >= 70 });
  });

  it('TI-65: a compaction tells the tokens before and after', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, user(ofTokens(100_000)), assistant(ofTokens(5_000)), user('Go on.'));
    const { compaction } = await append(lab, reporting(165_000));
    if (compaction === null) throw new Error('nothing was requested');
    await lab.work(compaction.id);
    const row = await lab.store.compaction(lab.ref, compaction.id);
    expect(row?.tokens_before).toBe(165_000);
    expect(row?.tokens_after).toBeLessThan(10_000);
    const { tokens_after } = last(await lab.events(), 'compaction.completed').data.report;
    expect(row?.tokens_after).toBe(tokens_after);
  });

  it('TI-67: the session takes items while the model writes', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const summarize = model.ask.bind(model);
    model.ask = async (request) => {
      await append(lab, user('Meanwhile.'));
      return summarize(request);
    };
    const { compaction } = await append(lab, user(ofTokens(121_000)), assistant('Hm.'));
    if (compaction === null) throw new Error('nothing was requested');
    await lab.work(compaction.id);
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toContain('summary');
    expect(entries.at(-1)?.item).toEqual(user('Meanwhile.'));
  });
});
