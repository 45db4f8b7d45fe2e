import { describe, expect, it } from 'vitest';
import { renderEntries } from '../../../src/domain/context/render.ts';
import { BOUNDARY, ofTokens } from '../../support/items.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, compact, compactByItself, last, recordOf, StubModel } from '../lab.ts';
import { assistant, GOOD, openLab, reporting, TALK_AT_THRESHOLD } from './lab.ts';

/** A turn of the agent, told from others by its first words. */
const turn = (name: string) => assistant(`${name} ${ofTokens(3_000)}`);

describe('CompactBoundary::create', () => {
  it('CV-50, CV-52, CV-57: a system item with its subtype, its content and its metadata', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, turn('one'));
    const completed = last(await compact(lab, 'full'), 'compaction.completed');
    const { tokens_before } = completed.data.report;
    expect((await lab.view()).entries[0]?.item).toEqual({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compact_metadata: { trigger: 'manual', pre_tokens: tokens_before },
      timestamp: completed.at,
      uuid: expect.stringMatching(/^id-\d+$/),
      is_meta: false,
      level: 'info',
    });
    expect(tokens_before).toBeGreaterThan(3_990);
  });

  it('CV-50, CV-191: the tokens before are those that the model has reported', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, turn('one'), reporting(188_888));
    const { report, entries } = last(events, 'compaction.completed').data;
    expect(report.tokens_before).toBe(188_888);
    expect(entries[0]?.item.compact_metadata).toMatchObject({ pre_tokens: 188_888 });
  });

  it.each([
    ['auto', true],
    ['manual', false],
  ])('CV-51, CV-57, CV-197: the trigger %s', async (trigger, isAutomatic) => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    if (isAutomatic) await compactByItself(lab, TALK_AT_THRESHOLD);
    else {
      await append(lab, turn('one'));
      await compact(lab, 'full');
    }
    const [boundary] = (await lab.view()).entries;
    expect(boundary?.item.compact_metadata).toMatchObject({ trigger });
  });
});

describe('extract_messages_after_boundary', () => {
  /** What the model reads in each of three rounds. */
  async function threeRounds() {
    const lab = await openLab({ preserve_user_messages: false });
    const model = StubModel.of(lab, ...['A', 'B', 'C'].map((n) => summaryAnswer(`${n} part.`)));
    const read: string[][] = [];
    for (const name of ['first', 'second', 'third']) {
      await append(lab, turn(name));
      await compact(lab, 'full');
      read.push(
        recordOf(model.prompt).map(({ role, text }) =>
          role === 'earlier summary' ? (/\w part/.exec(text)?.[0] ?? '') : text.slice(0, 5),
        ),
      );
    }
    return { lab, read };
  }

  it('CV-56, CV-57: the first compaction reads all there is', async () => {
    expect((await threeRounds()).read[0]).toEqual(['first']);
  });

  it('CV-55, CV-56, CV-57: later ones what stands after the last boundary, its summary first', async () => {
    const { read } = await threeRounds();
    expect(read.slice(1)).toEqual([
      ['A part', 'secon'],
      ['B part', 'third'],
    ]);
  });

  it('CV-55: there is one boundary in the context, that of the last', async () => {
    const { lab } = await threeRounds();
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual(['boundary', 'summary']);
    const events = await lab.events();
    expect(entries[0]?.item).toEqual(last(events, 'compaction.completed').data.entries[0]?.item);
    expect(events.filter(({ type }) => type === 'compaction.completed')).toHaveLength(3);
  });

  it('CV-56: the boundary belongs to what is read, and the model never sees its text', async () => {
    const { lab } = await threeRounds();
    const { entries, format } = await lab.view();
    expect(JSON.stringify(entries)).toContain('Conversation compacted');
    const rendered = JSON.stringify(renderEntries(entries, format, format));
    expect(rendered).not.toContain('Conversation compacted');
  });

  it('CV-54: a client that posts such an item makes no cut with it', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, turn('before'), BOUNDARY, turn('after'));
    await compact(lab, 'full');
    expect(recordOf(model.prompt).map(({ text }) => text.slice(0, 5))).toEqual(['befor', 'after']);
  });
});
