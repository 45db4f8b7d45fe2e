import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { assistant, call, ofTokens, PROGRESS, result, user } from '../../support/items.ts';
import { summaryText } from '../../support/summary-text.ts';
import { append, compactByItself, last, reporting, StubModel } from '../lab.ts';
import { appendTo, compactByCommand, GOOD, openLab, turns } from './lab.ts';

const LIMIT = { auto_compact_token_limit: 1_000 };
const EXACT = { token_safety_multiplier: 1 };
const EXACT_LIMIT = { ...LIMIT, ...EXACT };

/** What follows when the user goes on in a context of so many tokens, which the provider reports. */
function goOnAt(tokens: number, config: ConfigOverrides = LIMIT, messages = turns(4)) {
  // The last word of the user is one token.
  const items = [...messages, reporting(tokens - 1), user('Go.')];
  return appendTo(items, { ...EXACT, ...config });
}

describe('the limit', () => {
  it('CL-21, CL-32: without one nothing compacts by itself, however full the window is', () => {
    const { answer } = goOnAt(250_000, {});
    expect(answer.context).toMatchObject({ tokens: 250_000, is_above_auto_compact: false });
    expect(answer.compaction).toBeNull();
  });

  it.each([
    ['CL-24, CL-31', 1_000, false],
    ['CL-24', 1_001, true],
  ])('%s: with a limit of 1,000, %i tokens compact: %s', (_ids, tokens, isDue) => {
    const { answer, events } = goOnAt(tokens);
    expect(answer.context).toMatchObject({ tokens, limit: 1_000, is_above_auto_compact: isDue });
    expect(answer.compaction !== null).toBe(isDue);
    expect(events.some(({ type }) => type === 'compaction.requested')).toBe(isDue);
  });

  it.each([
    ['up to the window no space is kept free', 195_000, 195_001],
    ['beyond it, the window is the limit', 300_000, 200_000],
  ])('CL-32: %s: a limit of %i compacts at %i', (_what, auto_compact_token_limit, due) => {
    expect(goOnAt(due - 1, { auto_compact_token_limit }).answer.compaction).toBeNull();
    expect(goOnAt(due, { auto_compact_token_limit }).answer.compaction).not.toBeNull();
  });

  it('CL-23, CL-46: counts what is reported, else an estimate of four bytes and a margin', () => {
    const items = [...turns(4), user(ofTokens(100))];
    const { answer } = appendTo(items, LIMIT);
    const estimate = turns(4).reduce((sum, { content }) => {
      return sum + Math.ceil(String(content).length / 4);
    }, 100);
    expect(answer.context.tokens).toBe(Math.ceil(estimate * 1.33));
    expect(goOnAt(5_000).answer.context.tokens).toBe(5_000);
    // What came after the report is estimated, with the margin.
    const since = [...turns(4), reporting(5_000), assistant(ofTokens(100)), user(ofTokens(100))];
    expect(appendTo(since, LIMIT).answer.context.tokens).toBe(5_000 + 266);
  });

  it('CL-23: what never reaches a model counts nothing', () => {
    const items = [...turns(4), user(ofTokens(100))];
    const { tokens } = appendTo(items, LIMIT).answer.context;
    const progress = { ...PROGRESS, message: ofTokens(5_000) };
    expect(appendTo([progress, ...items], LIMIT).answer.context.tokens).toBe(tokens);
    const command = appendTo([...items, user(`/compact ${ofTokens(5_000)}`)], LIMIT);
    expect(command.answer.context.tokens).toBe(tokens);
  });
});

describe('the least number of messages', () => {
  const of = (count: number): Item[] =>
    Array.from({ length: count }, (_, n) =>
      (count - n) % 2 === 1 ? user(ofTokens(500)) : assistant(ofTokens(500)),
    );

  it.each([
    [7, false],
    [8, true],
  ])('CL-22, CL-25, CL-31: %i messages above the limit compact: %s', (count, isDue) => {
    const { answer } = appendTo(of(count), LIMIT);
    expect(answer.context.is_above_auto_compact).toBe(true);
    expect(answer.compaction !== null).toBe(isDue);
  });

  it('CL-22: it can be set', () => {
    const config = { ...LIMIT, auto_compact_min_messages: 3 };
    expect(appendTo(of(2), config).answer.compaction).toBeNull();
    expect(appendTo(of(3), config).answer.compaction).not.toBeNull();
  });
});

describe('the moment', () => {
  it('CL-26: a user message, not what tools or agent say', () => {
    const above = [...turns(6), call('t', 'Bash'), result('t', ofTokens(900))];
    const first = appendTo(above, LIMIT);
    expect(first.answer.context.is_above_auto_compact).toBe(true);
    expect(first.answer.compaction).toBeNull();
    const second = appendTo([assistant('Done.')], LIMIT, { earlier: first.events });
    expect(second.answer.compaction).toBeNull();
    const third = appendTo([user('And now?')], LIMIT, { earlier: second.events });
    expect(third.answer.compaction).toMatchObject({ trigger: 'auto', reason: 'token_limit' });
  });

  it('CL-26: but whatever comes, however few messages there are, once the window is full', () => {
    const filled = [call('t', 'Bash'), result('t', ofTokens(9)), reporting(199_999)];
    expect(appendTo(filled, EXACT_LIMIT).answer.compaction).toBeNull();
    const full = [...filled.slice(0, 2), reporting(200_000)];
    expect(appendTo(full, EXACT_LIMIT).answer.compaction).toMatchObject({ reason: 'token_limit' });
  });

  it('CL-27: a message that fills the window by itself is compacted with the rest', async () => {
    const lab = await openLab(EXACT_LIMIT);
    const model = StubModel.of(lab, GOOD);
    const paste = user(`What is wrong here? ${ofTokens(210_000)} The end of it.`);
    await compactByItself(lab, ...turns(5), paste);
    expect(model.prompt).toContain('What is wrong here?');
    const { entries } = await lab.view();
    const kept = entries.find(({ item }) => String(item.content).startsWith('What is wrong'));
    expect(kept?.origin).toBe('preserved');
    expect(kept?.item.content).toMatch(
      /^What is wrong here\? [\s\S]*left out[\s\S]* The end of it\.$/,
    );
    expect(entries.at(-1)?.origin).toBe('summary');
  });

  it('CL-65: the results that the agent has not read yet stay before it', async () => {
    const lab = await openLab({ auto_compact_token_limit: 3_000 });
    StubModel.of(lab, GOOD);
    const unread = [call('t', 'Bash'), result('t', ofTokens(100))];
    const question = user('And now the tests?');
    await compactByItself(lab, ...turns(15), ...unread, question);
    const { entries } = await lab.view();
    expect(entries.slice(-3).map(({ item }) => item)).toEqual([...unread, question]);
    expect(entries.at(-4)?.origin).toBe('summary');
  });

  it('CL-27, CL-30: the message stands after the summary, once, as it was written', async () => {
    const lab = await openLab({ auto_compact_token_limit: 3_000 });
    const model = StubModel.of(lab, GOOD);
    const question = user('And now the tests?');
    await compactByItself(lab, ...turns(15), question);
    expect(model.prompt).not.toContain('And now the tests?');
    const { entries } = await lab.view();
    expect(entries.at(-1)).toMatchObject({ item: question, origin: 'log' });
    expect(JSON.stringify(entries).split('And now the tests?')).toHaveLength(2);
    expect(entries.at(-2)?.origin).toBe('summary');
  });
});

describe('the note', () => {
  it('CL-28, CL-30: an automatic one says that the request was paused', () => {
    const { note } = goOnAt(2_000).answer;
    expect(note).toMatch(/^the request was paused for a compaction/);
    expect(note).toMatch(/when the compaction has ended, send the request to the model again/);
  });

  it('CL-28, CL-31: a command says nothing of that, nor does what compacts nothing', () => {
    expect(appendTo([...turns(4), user('/compact')], LIMIT).answer.note).toBeNull();
    expect(goOnAt(1_000).answer.note).toBeNull();
  });

  it('CL-29: it is no part of the context', async () => {
    const lab = await openLab({ auto_compact_token_limit: 3_000 });
    StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, ...turns(15), user('And now?'));
    const { summary_text, entries } = last(events, 'compaction.completed').data;
    expect(summary_text).toBe(`Summary:\n${summaryText()}`);
    expect(JSON.stringify(entries)).not.toContain('paused');
    const summary = entries.find(({ origin }) => origin === 'summary');
    expect(summary?.item.content).toMatch(/\nPlease continue the conversation .* to work on\.$/);
  });
});

describe('after a compaction', () => {
  it('CL-25: messages count from the compaction on', async () => {
    const lab = await openLab(LIMIT);
    StubModel.of(lab, GOOD);
    await compactByCommand(lab, ...turns(2));
    const long = ofTokens(3_000);
    expect((await append(lab, ...turns(3), user(long))).compaction).toBeNull();
    expect((await append(lab, assistant('The eighth.'))).compaction).toBeNull();
    expect((await append(lab, user('The ninth.'))).compaction).not.toBeNull();
  });
});
