import { describe, expect, it } from 'vitest';
import { filterForSummary } from '../../../src/domain/compaction/filter.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import {
  assistant,
  attachment,
  BOUNDARY,
  call,
  GHOST,
  ofTokens,
  PROGRESS,
  result,
  text,
  thinking,
  user,
} from '../../support/items.ts';
import { summaryAnswer, summaryText } from '../../support/summary-text.ts';
import { append, compact, last, type RecordEntry, recordOf, StubModel } from '../lab.ts';
import { openLab } from './lab.ts';

/** So much talk that a summary is smaller than what it stands for; the first entry of every record. */
const OPENING = user(ofTokens(1_000), { id: 'opening' });

/** What a model reads of these items: roles and texts. */
async function read(...items: Item[]): Promise<RecordEntry[]> {
  const lab = await openLab();
  const model = StubModel.of(lab, summaryAnswer());
  // A message of the agent between them, or the first two messages of the user would be one.
  await append(lab, OPENING, assistant('Yes?'), ...items);
  await compact(lab, 'full');
  return recordOf(model.prompt).slice(2);
}

const texts = (entries: RecordEntry[]) => entries.map((entry) => entry.text);

/** The filtered conversation itself, with what is never written into a prompt. */
function filtered(...items: Item[]): Normalised[] {
  const codec = codecFor('anthropic');
  return filterForSummary(items.map((item) => codec.normalise(item)));
}

describe('keepMessagesAfterLastBoundary: nk', () => {
  async function twice(config: ConfigOverrides = {}) {
    const lab = await openLab(config);
    const model = StubModel.of(lab, summaryAnswer('First part.'), summaryAnswer('Both.'));
    await append(lab, user(`Old question. ${ofTokens(800)}`), assistant('Old answer.'));
    await compact(lab, 'full');
    const first = model.prompt;
    await append(lab, user(`New question. ${ofTokens(800)}`), assistant('New answer.'));
    const events = await compact(lab, 'full');
    return { lab, first, second: model.prompt, events };
  }

  it('CC-100, CC-116: the first reads all, the second the summary and what is new', async () => {
    const { first, second } = await twice();
    expect(recordOf(first).map(({ role }) => role)).toEqual(['user', 'assistant']);
    const [summary, ...rest] = recordOf(second);
    expect(summary?.role).toBe('earlier summary');
    expect(summary?.text).toContain(`Summary:\n${summaryText('First part.')}`);
    expect(texts(rest)).toEqual([expect.stringMatching(/^New question\./), 'New answer.']);
    expect(second).not.toContain('Old question.');
  });

  it('CC-102, CC-105: the boundary holds no summary, and no prompt shows it', async () => {
    const { lab, second } = await twice();
    const { entries } = await lab.view();
    expect(entries[0]?.item).toMatchObject({ content: 'Conversation compacted' });
    expect(JSON.stringify(entries[0])).not.toContain('Both.');
    expect(second).not.toContain('Conversation compacted');
    expect(second).not.toContain('compact_boundary');
  });

  it('CC-117: after the second round stands nothing of the first', async () => {
    const { lab, events } = await twice();
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual(['boundary', 'summary']);
    expect(entries[1]?.item.content).toContain('Both.');
    expect(JSON.stringify(entries)).not.toContain('First part.');
    expect(last(events, 'compaction.completed').data.previous).not.toBeNull();
  });

  it('CC-118: the old messages stay in the log, and out of the context', async () => {
    const { lab } = await twice();
    const log = JSON.stringify(await lab.events());
    for (const kept of ['Old question.', 'Old answer.', 'New question.', 'First part.']) {
      expect(log).toContain(kept);
    }
    expect(JSON.stringify((await lab.view()).entries)).not.toContain('question.');
  });
});

describe('isBoundaryMarker: lh', () => {
  const info: Item = { type: 'system', subtype: 'info', content: 'A hint.' };

  it('CC-101, CC-105: system items are dropped, all but compact_boundary', () => {
    expect(filtered(info, BOUNDARY, user('x'))).toMatchObject([
      { kind: 'system', subtype: 'compact_boundary' },
      { kind: 'message', role: 'user' },
    ]);
  });

  it('CC-105: neither kind is written into the prompt', async () => {
    expect(texts(await read(info, BOUNDARY, user('After.')))).toEqual(['After.']);
  });
});

describe('filterAndNormalizeMessages: WZ', () => {
  it('CC-103: attachments go before the next message of the user, the rest to the end', async () => {
    const entries = await read(
      user('One.'),
      attachment('file', 'const a = 1;', 'a.ts'),
      assistant('Two.'),
      user('Three.'),
      assistant('Four.'),
      attachment('todo', 'ship it'),
    );
    expect(texts(entries)).toEqual(['One.', 'Two.', 'const a = 1;', 'Three.', 'Four.', 'ship it']);
  });

  it('CC-110: an attachment is an entry of its own, with kind and path', async () => {
    const [entry] = await read(attachment('file', 'const a = 1;', 'src/a.ts'), user('Look.'));
    expect(entry).toEqual({
      role: 'attachment',
      attributes: 'kind="file" path="src/a.ts"',
      text: 'const a = 1;',
    });
  });

  it('CC-104: progress is dropped, and ghost snapshots with it', async () => {
    expect(texts(await read(PROGRESS, user('x'), GHOST))).toEqual(['x']);
  });

  it.each([
    ['all three', { is_api_error_message: true, model: '<synthetic>' }, false],
    ['the model alone', { model: '<synthetic>' }, true],
    ['the flag alone', { is_api_error_message: true }, true],
    ['the flag of a real model', { is_api_error_message: true, model: 'claude-x' }, true],
    ['the flag false', { is_api_error_message: false, model: '<synthetic>' }, true],
  ])('CC-106: a synthetic error needs %s', async (_name, fields, isRead) => {
    const entries = await read(user('x'), assistant('API Error: 529', fields));
    expect(texts(entries).includes('API Error: 529')).toBe(isRead);
  });

  it('CC-107, CC-115: messages of the user in a row become one, tool results among them', () => {
    const [, , , merged, ...rest] = filtered(
      OPENING,
      assistant('Yes?'),
      call('t', 'Read'),
      result('t', 'The content.'),
      user('And one.'),
      PROGRESS,
      user('And two.'),
    ).map((item) => (item.kind === 'message' ? item.parts.map(({ kind }) => kind) : []));
    expect(merged).toEqual(['tool_result', 'text', 'text']);
    expect(rest).toEqual([]);
  });

  it('CC-107, CC-116: an earlier summary is not merged with what follows', () => {
    const summary = user('The summary.', { is_compact_summary: true });
    expect(filtered(summary, user('New.'))).toHaveLength(2);
  });

  it('CC-108, CC-121: pieces of one assistant message become one, over what is skipped', () => {
    const pieces = filtered(
      user('x'),
      assistant([text('One.')], { id: 'm3' }),
      PROGRESS,
      attachment('todo', 'ship it'),
      assistant([text('Two.')], { id: 'm3' }),
      assistant([text('Three.')], { id: 'm4' }),
      user('y'),
    );
    expect(pieces).toMatchObject([
      { role: 'user' },
      { id: 'm3', parts: [{ text: 'One.' }, { text: 'Two.' }] },
      { id: 'm4', parts: [{ text: 'Three.' }] },
      { attachment: 'todo' },
      { role: 'user' },
    ]);
  });

  it('CC-108: a message between them keeps them apart, and a message without id is one', () => {
    const apart = [assistant('One.', { id: 'm' }), user('x'), assistant('Two.', { id: 'm' })];
    expect(filtered(...apart)).toHaveLength(3);
    expect(filtered(assistant('One.'), assistant('Two.'))).toHaveLength(2);
  });

  it('CC-109: inputs of tools are read as what they mean', async () => {
    const lab = await openLab({}, { format: 'openai-chat' });
    const model = StubModel.of(lab, summaryAnswer());
    const input = { name: 'Read', arguments: '{ "path" :  "a.ts" }' };
    const asked = { id: 't', type: 'function', function: input };
    await append(lab, user(ofTokens(1_000)), {
      role: 'assistant',
      content: null,
      tool_calls: [asked],
    });
    await append(lab, { role: 'tool', tool_call_id: 't', content: 'The content.' });
    await compact(lab, 'full');
    expect(recordOf(model.prompt).slice(1)).toEqual([
      { role: 'tool call', attributes: 'call="1" tool="Read"', text: '{"path":"a.ts"}' },
      { role: 'tool output', attributes: 'call="1" tool="Read"', text: 'The content.' },
    ]);
  });

  it('CC-111: thinking at the very end is dropped, and none is written into the prompt', async () => {
    const end = assistant([thinking('a'), text('Said.'), thinking('b'), thinking('c')]);
    expect(filtered(user('x'), end).at(-1)).toMatchObject({
      parts: [{ kind: 'thinking' }, { kind: 'text', text: 'Said.' }],
    });
    expect(texts(await read(user('x'), end))).toEqual(['x', 'Said.']);
  });
});

describe('the predicates', () => {
  it('CC-112: an answer of nothing but thinking is dropped', () => {
    expect(filtered(user('x'), assistant([thinking('hm'), thinking('so')]))).toHaveLength(1);
    expect(filtered(user('x'), assistant([]))).toHaveLength(1);
    expect(filtered(user('x'), assistant([thinking('hm'), text('Said.')]))).toHaveLength(2);
    expect(filtered(user('x'), assistant('Said.'))).toHaveLength(2);
  });

  it('CC-113: meta messages are dropped, those of the agent too', async () => {
    const entries = await read(
      user('Internal.', { is_meta: true }),
      assistant('Inside.', { is_meta: true }),
      user('Outside.', { is_meta: false }),
    );
    expect(texts(entries)).toEqual(['Outside.']);
  });

  it('CC-114: messages that are only visible in the transcript are read all the same', async () => {
    const entries = await read(user('Shown.', { is_visible_in_transcript_only: true }));
    expect(texts(entries)).toEqual(['Shown.']);
  });

  it('CC-115, CC-120: a tool result is read with its call', async () => {
    const entries = await read(call('t', 'Grep', { pattern: 'x' }), result('t', 'a.ts:1: x'));
    expect(entries.map(({ role }) => role)).toEqual(['tool call', 'tool output']);
    expect(texts(entries)).toEqual(['{"pattern":"x"}', 'a.ts:1: x']);
  });

  it('CC-120: user and assistant messages are read with their roles', async () => {
    const entries = await read(user('Please.'), assistant('Done.'));
    expect(entries).toEqual([
      { role: 'user', attributes: '', text: 'Please.' },
      { role: 'assistant', attributes: '', text: 'Done.' },
    ]);
  });
});
