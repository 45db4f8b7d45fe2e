import { describe, expect, it } from 'vitest';
import { withMarksOf } from '../../../src/domain/gateway/cache-marks.ts';
import type { Item } from '../../../src/domain/items/item.ts';

const MARK = { type: 'ephemeral' };
const text = (words: string, isMarked = false) => ({
  type: 'text',
  text: words,
  ...(isMarked && { cache_control: MARK }),
});
const user = (...content: object[]) => ({ role: 'user', content: content as never });

it('keeps a mark where it stands, also on what was a string', () => {
  const history = [user(text('one')), user(text('two', true))];
  const context = [user(text('summary')), { role: 'user', content: 'two' }];
  expect(withMarksOf(history, context)).toEqual([user(text('summary')), user(text('two', true))]);
});

it('moves the mark of what has gone to the last one before it that is there', () => {
  const history = [
    user(text('head')),
    user(text('gone')),
    user(text('gone too', true)),
    user(text('end')),
  ];
  const context = [user(text('head')), user(text('summary')), user(text('end'))];
  expect(withMarksOf(history, context)).toEqual([
    user(text('head', true)),
    user(text('summary')),
    user(text('end')),
  ]);
});

it('drops a mark that nothing before is left of, and those of earlier requests', () => {
  const history = [user(text('gone', true)), user(text('end'))];
  expect(withMarksOf(history, [user(text('summary', true)), user(text('end', true))])).toEqual([
    user(text('summary')),
    user(text('end')),
  ]);
});

it('puts no mark on thinking', () => {
  const thinking = { type: 'thinking', thinking: 't', signature: 's' };
  const history = [user(text('before'), thinking), user(text('gone', true))];
  const context = [user(text('before'), thinking)];
  expect(withMarksOf(history, context)).toEqual([user(text('before', true), thinking)]);
});

it('counts a mark inside a result or a document as one of the block around it', () => {
  const result = (id: string, words: object, mark: object = {}) =>
    user({ type: 'tool_result', tool_use_id: id, content: [words], ...mark });
  const paper = (words: object, mark: object = {}) =>
    user({ type: 'document', source: { type: 'content', content: [words] }, ...mark });
  const context = [
    result('a', text('one', true)),
    paper(text('two', true)),
    result('b', text('three', true)),
  ];
  const history = [result('a', text('one')), paper(text('two', true)), result('b', text('three'))];
  expect(withMarksOf(history, context)).toEqual([
    result('a', text('one')),
    paper(text('two'), { cache_control: MARK }),
    result('b', text('three')),
  ]);
});

it('takes nothing from what a call is given', () => {
  const call = { type: 'tool_use', id: 'a', name: 'f', input: { cache_control: MARK } };
  expect(withMarksOf([user(call)], [user(call)])).toEqual([user(call)]);
});

describe('marks on a message itself, as Kilo Code sets them by Chat Completions', () => {
  const marked = (item: object): Item => ({ ...item, cache_control: MARK });
  const system: Item = { role: 'system', content: 'Be short.' };
  const asked: Item = { role: 'user', content: 'Why does the build fail?' };
  const calling = (id: string, mark: object = {}): Item => ({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id, type: 'function', function: { name: 'bash', arguments: '{}' }, ...mark },
    ] as never,
  });
  const result = (tool_call_id: string, content = 'all of it'): Item => ({
    role: 'tool',
    tool_call_id,
    content,
  });

  it('stay where they are, also on a call', () => {
    const end = [calling('b', { cache_control: MARK }), marked(result('b'))];
    const history = [marked(system), asked, calling('a'), result('a'), ...end];
    const context = [system, asked, calling('a'), result('a', 'part'), calling('b'), result('b')];
    const expected = [marked(system), asked, calling('a'), result('a', 'part'), ...end];
    expect(withMarksOf(history, context)).toEqual(expected);
  });

  it('move to the last one before that is there', () => {
    const history = [system, asked, calling('a', { cache_control: MARK }), marked(result('a'))];
    expect(withMarksOf(history, [system, asked])).toEqual([system, marked(asked)]);
  });
});
