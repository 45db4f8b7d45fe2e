import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { configOf, contextTokens } from '../../../src/domain/session/head.ts';
import { assistant, attachment, GHOST, ofTokens, tool, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryText } from '../../support/summary-text.ts';
import { append, compact, compactByItself, last, StubModel, steps } from '../lab.ts';
import { GOOD, openLab, signal, TURN, work } from './lab.ts';

const RULES = user('The rules of the house.');
const TALK = [user(`Fix the parser. ${ofTokens(2_000)}`), assistant(ofTokens(38_000))];

/** One turn, summarised by hand. */
async function compacted(items: Item[], config: ConfigOverrides = {}): Promise<SessionLab> {
  const lab = await openLab(config);
  StubModel.of(lab, GOOD);
  await append(lab, ...items);
  await compact(lab, 'full');
  return lab;
}

const origins = async (lab: SessionLab) => (await lab.view()).entries.map(({ origin }) => origin);

describe('the same for all', () => {
  it.each<[string, ConfigOverrides, (lab: SessionLab) => Promise<unknown>]>([
    ['by hand', {}, (lab) => lab.request('full')],
    [
      'by the token limit',
      { auto_compact_threshold: 41_000 },
      (lab) => append(lab, assistant(ofTokens(1_000))),
    ],
    [
      'mid-turn',
      {},
      async (lab) => {
        await signal(lab, 'commit');
        return signal(lab, 'sampling_complete', { needs_follow_up: true });
      },
    ],
    [
      'by the watcher',
      { packet_author: 'none' },
      async (lab) => {
        await signal(lab, 'commit');
        return signal(lab, 'turn_complete');
      },
    ],
  ])('RW-03, RW-100: %s', async (_way, config, trigger) => {
    const lab = await openLab(config, { initial_context: [RULES] });
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    await trigger(lab);
    expect(steps(await work(lab))).toEqual(['requested', 'started', 'completed']);
    expect(await origins(lab)).toEqual(['initial', 'boundary', 'preserved', 'summary']);
  });
});

describe('the local compaction', () => {
  it('RW-102: prompt and answer are no items of the conversation', async () => {
    const lab = await compacted(TALK);
    const events = await lab.events();
    expect(events.filter(({ type }) => type === 'item.appended')).toHaveLength(2);
    const { data } = last(events, 'compaction.completed');
    expect(data.summary_text).toContain('All done so far.');
    expect(data.report).toMatchObject({ template: 'nine-sections@1', usage: { input: 900 } });
    const rendered = JSON.stringify((await lab.view()).entries);
    expect(rendered).not.toContain('record-entry');
  });

  it('RW-103: the summary is the last answer after a prefix and a newline', async () => {
    const lab = await compacted(TALK);
    const summary = (await lab.view()).entries.at(-1);
    expect(summary?.item).toMatchObject({
      role: 'user',
      content:
        'This session is being continued from a previous conversation that ran out of context.\n' +
        `The conversation is summarized below:\nSummary:\n${summaryText()}`,
    });
  });

  it('RW-103: one that was not asked for ends with the sentences that ask to go on', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const items = [assistant(ofTokens(90_000)), user('Go on.')];
    await compactByItself(lab, ...items);
    const summary = (await lab.view()).entries.find(({ origin }) => origin === 'summary');
    expect(summary?.item.content).toMatch(
      /^This session is being continued [\s\S]*\nPlease continue the conversation .* to work on\.$/,
    );
  });

  it('RW-104: initial context, messages of the user, summary, ghosts; nothing else comes back', async () => {
    const lab = await openLab({}, { initial_context: [RULES] });
    StubModel.of(lab, GOOD);
    const seen = [
      attachment('plan', 'First the parser.'),
      attachment('todo', [{ content: 'ship it', status: 'pending' }]),
      ...tool('t', 'Read', 100, { file_path: 'src/parser.ts' }),
      GHOST,
    ];
    await append(lab, ...TALK, ...seen, user('And the docs.'));
    await compact(lab, 'full');
    expect(await origins(lab)).toEqual([
      'initial',
      'boundary',
      'preserved',
      'preserved',
      'summary',
      'ghost',
    ]);
    const { entries } = await lab.view();
    expect(entries[0]?.item).toEqual(RULES);
    expect(entries.slice(2, 4).map(({ item }) => item)).toEqual([TALK[0], user('And the docs.')]);
    expect(entries.at(-1)?.item).toEqual(GHOST);
  });

  it('RW-104: but the results that the agent has not read yet, in the middle of its work', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const unread = tool('log', 'Bash', 100);
    await append(lab, ...TALK, ...unread);
    await signal(lab, 'commit');
    await signal(lab, 'sampling_complete', { needs_follow_up: true });
    await work(lab);
    expect(await origins(lab)).toEqual(['boundary', 'preserved', 'summary', 'log', 'log']);
    expect((await lab.view()).entries.slice(-2).map(({ item }) => item)).toEqual(unread);
  });

  it('RW-105: the newest messages of the user, 20,000 tokens, the oldest cut in the middle', async () => {
    const first = user(`FIRST ${ofTokens(5_000)}`);
    const second = user(`SECOND ${ofTokens(12_000)} END`);
    const third = user(`THIRD ${ofTokens(12_000)}`);
    const lab = await compacted([first, assistant('1'), second, assistant('2'), third]);
    const kept = (await lab.view()).entries.filter(({ origin }) => origin === 'preserved');
    expect(kept).toHaveLength(2);
    expect(kept[0]?.item.content).toMatch(/^SECOND abc[\s\S]*tokens left out[\s\S]* END$/);
    expect(kept[1]?.item).toEqual(third);
    const tokens = kept.reduce((sum, entry) => sum + entry.tokens, 0);
    expect(tokens).toBeLessThanOrEqual(20_000);
    expect(tokens).toBeGreaterThan(19_000);
  });

  it('RW-106: the tokens are counted anew', async () => {
    const lab = await compacted(TALK);
    const { state, settings } = await lab.head();
    const { entries } = await lab.view();
    expect(contextTokens(state, configOf(settings, {}))).toBe(
      entries.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    expect(last(await lab.events(), 'compaction.completed').data.report).toMatchObject({
      tokens_before: 40_004,
      tokens_after: state.tokens,
    });
  });

  it('RW-108: tool results stay whole until they are summarised', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const results = Array.from({ length: 10 }, (_, n) => tool(`r${n}`, 'Read', 8_000)).flat();
    const { compaction } = await append(lab, user('Go.'), ...results, assistant(ofTokens(6_000)));
    expect(compaction).not.toBeNull();
    expect(steps(await work(lab))).toEqual(['requested', 'started', 'completed']);
    await append(lab, ...results);
    expect(steps(await compact(lab, 'micro'))).toEqual(['requested', 'started', 'skipped']);
  });
});

describe('the prompt', () => {
  it('RW-115: it takes instructions, and another template', async () => {
    const lab = await openLab({ summary_template: 'handoff' });
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...TURN);
    const events = await compact(lab, 'full', 'Keep the names of the tables.');
    expect(model.prompt).toContain('Keep the names of the tables.');
    expect(last(events, 'compaction.completed').data.report.template).toBe('handoff@1');
    const file = readFileSync(new URL('../../../templates/handoff.md', import.meta.url), 'utf8');
    const [head, ...body] = file.split('\n');
    expect(head).toBe('<!-- handoff@1 -->');
    expect(model.prompt).toContain(body.join('\n').trim());
  });
});
