import { describe, expect, it } from 'vitest';
import { filterForSummary } from '../../../src/domain/compaction/filter.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../../src/domain/items/item.ts';
import { attachment, BOUNDARY, GHOST, ofTokens, PROGRESS } from '../../support/items.ts';
import { append, compact, type RecordEntry, recordOf, StubModel } from '../lab.ts';
import { assistant, call, GOOD, openLab, output, reasoning, user } from './lab.ts';

/** What a model reads of these items: roles and texts. */
async function read(...items: Item[]): Promise<RecordEntry[]> {
  const lab = await openLab();
  const model = StubModel.of(lab, GOOD);
  // Enough that a summary is smaller; a message of the agent keeps the user's two apart.
  await append(lab, assistant(ofTokens(25_000)), ...items);
  await compact(lab, 'full');
  return recordOf(model.prompt).slice(1);
}

const texts = (entries: RecordEntry[]) => entries.map((entry) => entry.text);

/** The filtered conversation itself, with what is never written into a prompt. */
function filtered(...items: Item[]): Normalised[] {
  const codec = codecFor('openai-responses');
  return filterForSummary(items.map((item) => codec.normalise(item)));
}

/** What an item is, in a word. */
function kinds(items: Normalised[]): string[] {
  return items.map((item) => (item.kind === 'message' ? item.role : item.kind));
}

const INFO: Item = { type: 'system', subtype: 'info', content: 'A hint.' };
const SYNTHETIC = { is_api_error_message: true, model: '<synthetic>' };

describe('reorganize_attachments', () => {
  it('CV-60: pending attachments go directly before the next message of the user', async () => {
    const entries = await read(
      attachment('file', 'const a = 1;', 'a.ts'),
      attachment('todo', 'ship it'),
      assistant('One.'),
      user('Two.'),
      assistant('Three.'),
    );
    expect(texts(entries)).toEqual(['One.', 'const a = 1;', 'ship it', 'Two.', 'Three.']);
  });

  it('CV-60: the output of a tool is such a message too', () => {
    const items = filtered(attachment('todo', 'ship it'), call('t', 'shell'), output('t', 'a.ts'));
    expect(kinds(items)).toEqual(['assistant', 'attachment', 'user']);
  });

  it('CV-61: what remains goes to the end', async () => {
    const entries = await read(
      user('One.'),
      attachment('plan', 'First the parser.'),
      assistant('Two.'),
    );
    expect(texts(entries)).toEqual(['One.', 'Two.', 'First the parser.']);
  });
});

describe('is_summary_message', () => {
  const PREFIX =
    'This session is being continued from a previous conversation that ran out of context.';

  it('CV-62: a summary is known by its flag', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, assistant(ofTokens(25_000)));
    await compact(lab, 'full');
    await append(lab, assistant(ofTokens(25_000)));
    await compact(lab, 'full');
    const [first] = recordOf(model.prompt);
    expect(first?.role).toBe('earlier summary');
    expect(first?.text.startsWith(PREFIX)).toBe(true);
  });

  it('CV-62: a user who quotes the prefix has written no summary', async () => {
    const entries = await read(user(`${PREFIX} What does that mean?`));
    expect(entries[0]?.role).toBe('user');
    expect(filtered(user(PREFIX), user('Go on.'))).toHaveLength(1);
  });
});

describe('is_thinking_only_block', () => {
  it.each<[string, Item, boolean]>([
    ['a reasoning item', reasoning('hm'), true],
    ['an assistant message without content', { ...assistant(''), content: [] }, true],
    ['an assistant message with a text', assistant('Said.'), false],
    ['a user message without content', { ...user(''), content: [] }, false],
  ])('CV-63, CV-70: %s: %s', (_name, item, isDropped) => {
    expect(filtered(user('x'), assistant('y'), item)).toHaveLength(isDropped ? 2 : 3);
  });
});

describe('is_synthetic_error_message', () => {
  it.each<[string, Item, boolean]>([
    ['all three', SYNTHETIC, true],
    ['the model alone', { model: '<synthetic>' }, false],
    ['the flag alone', { is_api_error_message: true }, false],
    ['the flag of a real model', { is_api_error_message: true, model: 'gpt-5' }, false],
    ['the flag false', { is_api_error_message: false, model: '<synthetic>' }, false],
  ])('CV-64, CV-70: it needs %s', (_name, fields, isDropped) => {
    expect(filtered(user('x'), assistant('Error: 529', fields))).toHaveLength(isDropped ? 1 : 2);
  });

  it('CV-64: it is never a message of the user', () => {
    expect(filtered(user('x', SYNTHETIC))).toHaveLength(1);
  });
});

describe('filter_for_summarization', () => {
  it('CV-65, CV-70: progress and system items are dropped, all but boundaries', () => {
    const items = filtered(PROGRESS, INFO, BOUNDARY, user('x'));
    expect(items).toMatchObject([
      { kind: 'system', subtype: 'compact_boundary' },
      { kind: 'message', role: 'user' },
    ]);
  });

  it('CV-65, CV-66: first dropped, then merged: what stood between two messages is no wall', () => {
    const [merged, ...rest] = filtered(
      user('One.'),
      PROGRESS,
      INFO,
      assistant('Error', SYNTHETIC),
      reasoning('hm'),
      user('Two.'),
    );
    expect(merged).toMatchObject({ parts: [{ text: 'One.' }, { text: 'Two.' }] });
    expect(rest).toEqual([]);
  });

  it('CV-65: attachments are moved before that, so one stands between the two', () => {
    const items = filtered(user('One.'), attachment('todo', 'ship it'), PROGRESS, user('Two.'));
    expect(kinds(items)).toEqual(['user', 'attachment', 'user']);
  });

  it('CV-66: contents of consecutive messages of the user are put together in order', () => {
    const [merged, ...rest] = filtered(user('One.'), user('Two.'), user('Three.'));
    expect(merged).toMatchObject({
      parts: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    });
    expect(rest).toEqual([]);
    expect(filtered(user('One.'), assistant('Between.'), user('Two.'))).toHaveLength(3);
  });

  it('CV-66: an earlier summary stays a message of its own', () => {
    const summary = user('The summary.', { is_compact_summary: true });
    expect(filtered(summary, user('New.'))).toHaveLength(2);
  });

  it('CV-67: meta messages are dropped', async () => {
    const entries = await read(
      user('Internal.', { is_meta: true }),
      user('Outside.', { is_meta: false }),
    );
    expect(texts(entries)).toEqual(['Outside.']);
  });

  it('CV-68: assistant messages of one id become one, others do not', () => {
    const one = [assistant('One.', { id: 'm' }), assistant('Two.', { id: 'm' })];
    expect(filtered(user('x'), ...one)).toHaveLength(2);
    expect(filtered(user('x'), assistant('One.'), assistant('Two.'))).toHaveLength(3);
  });

  it('CV-68: thinking at the very end is dropped', () => {
    const codec = codecFor('anthropic');
    const content = [
      { type: 'text', text: 'Said.' },
      { type: 'thinking', thinking: 'hm', signature: 's' },
    ];
    const [message] = filterForSummary([codec.normalise({ role: 'assistant', content })]);
    expect(message).toMatchObject({ parts: [{ kind: 'text', text: 'Said.' }] });
  });

  it('CV-71: ghost snapshots are dropped too, everything else stays', async () => {
    const entries = await read(GHOST, call('t', 'shell', { command: 'ls' }), output('t', 'a.ts'));
    expect(entries.map(({ role }) => role)).toEqual(['tool call', 'tool output']);
  });
});
