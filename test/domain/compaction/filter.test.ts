import { describe, expect, it } from 'vitest';
import { filterForSummary } from '../../../src/domain/compaction/filter.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../../src/domain/items/item.ts';
import {
  assistant,
  attachment,
  BOUNDARY,
  call,
  GHOST,
  PROGRESS,
  result,
  text,
  thinking,
  user,
} from '../../support/items.ts';

/** One word per part of what is left; `|` between items. */
function filtered(...items: Item[]): string {
  const normalised = items.map((item) => codecFor('anthropic').normalise(item));
  return filterForSummary(normalised).map(line).join(' | ');
}

function line(item: Normalised): string {
  if (item.kind !== 'message') return item.kind === 'attachment' ? item.text : item.kind;
  const parts = item.parts.map((part) => (part.kind === 'text' ? part.text : part.kind));
  return `${item.role[0]}: ${parts.join(' ')}`;
}

const file = (name: string) => attachment('file', name, 'a.ts');
const SYNTHETIC = { is_api_error_message: true, model: '<synthetic>' };

describe('filterForSummary, in the order of SPEC 9', () => {
  it.each<[string, Item[], string]>([
    [
      'attachments go before the next user message',
      [file('f1'), assistant('a'), file('f2'), user('u')],
      'a: a | f1 | f2 | u: u',
    ],
    [
      'attachments without one go to the end',
      [user('u'), file('f'), assistant('a')],
      'u: u | a: a | f',
    ],
    ['empty attachments are dropped', [attachment('todo', []), user('u')], 'u: u'],
    ['progress is dropped', [user('u'), PROGRESS], 'u: u'],
    ['ghost snapshots are dropped', [GHOST, user('u')], 'u: u'],
    [
      'system items other than boundaries are dropped',
      [{ type: 'system', subtype: 'info', content: 'x' }, BOUNDARY, user('u')],
      'system | u: u',
    ],
    ['synthetic errors are dropped', [user('u'), assistant('e', SYNTHETIC)], 'u: u'],
    [
      'an error message of a real model stays, a synthetic message that is no error too',
      [
        assistant('e', { is_api_error_message: true, model: 'm' }),
        assistant('s', { model: '<synthetic>' }),
      ],
      'a: e | a: s',
    ],
    ['meta messages are dropped', [user('m', { is_meta: true }), assistant('a')], 'a: a'],
    [
      'assistant messages with nothing but thinking are dropped',
      [assistant([thinking('t')]), user('u')],
      'u: u',
    ],
    [
      'consecutive user messages are merged',
      [user('u1'), user('u2'), assistant('a')],
      'u: u1 u2 | a: a',
    ],
    [
      'also when what stood between them was dropped',
      [user('u1'), PROGRESS, assistant('e', SYNTHETIC), user('u2')],
      'u: u1 u2',
    ],
    [
      'a summary is not merged with what follows',
      [user('s', { is_compact_summary: true }), user('u')],
      'u: s | u: u',
    ],
    [
      'assistant messages of one id are merged',
      [assistant('a1', { id: 'm' }), assistant('a2', { id: 'm' }), assistant('b', { id: 'n' })],
      'a: a1 a2 | a: b',
    ],
    ['those without id are not', [assistant('a1'), assistant('a2')], 'a: a1 | a: a2'],
    [
      'trailing thinking is dropped at the end only',
      [
        assistant([text('a'), thinking('t')]),
        user('u'),
        assistant([thinking('t'), text('b'), thinking('t')]),
      ],
      'a: a thinking | u: u | a: thinking b',
    ],
    [
      'calls and results stay',
      [user('u'), call('c', 'Read'), result('c', 'r')],
      'u: u | a: tool_call | u: tool_result',
    ],
    ['nothing gives nothing', [], ''],
  ])('%s', (_name, items, expected) => {
    expect(filtered(...items)).toBe(expected);
  });

  it('merges a hundred thousand messages without copying what it has merged', () => {
    // In quadratic time this would take minutes, far beyond the time limit of a test.
    const message = codecFor('anthropic').normalise(user('u'));
    const [merged, ...more] = filterForSummary(Array.from({ length: 100_000 }, () => message));
    expect(more).toEqual([]);
    expect(merged?.kind === 'message' && merged.parts.length).toBe(100_000);
    expect(message).toMatchObject({ parts: [{ kind: 'text' }] });
  });
});
