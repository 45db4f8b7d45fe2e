import { expect, test } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { withNamedCalls } from '../../../src/domain/items/openai-chat/unnamed-calls.ts';

const codec = codecFor('openai-chat');
const call = (path: string, id: object = {}) => ({
  type: 'function',
  function: { name: 'read', arguments: JSON.stringify({ path }) },
  ...id,
});

test.each([
  ['none', {}, {}],
  ['an empty one', { id: '' }, { tool_call_id: '' }],
  ['null', { id: null }, { tool_call_id: null }],
])('calls whose id is %s, and their results, are joined by their order', (_, id, of) => {
  const items: Item[] = [
    { role: 'user', content: 'Read them.' },
    { role: 'assistant', content: null, tool_calls: [call('a', id), call('b', id)] },
    { role: 'tool', content: 'of a', ...of },
    { role: 'tool', content: 'of b', ...of },
    { role: 'assistant', content: null, tool_calls: [call('c', id)] },
    { role: 'tool', content: 'of c', ...of },
  ];
  const named = items.map(withNamedCalls);
  expect(named.flatMap((item) => codec.check(item))).toEqual([]);
  const rendered = codec.render(named);
  expect(codec.violations(rendered)).toEqual([]);
  expect(rendered.map(({ content }) => content)).toEqual(items.map(({ content }) => content));
});

test('what has its ids is the very same message', () => {
  const messages: Item[] = [
    { role: 'assistant', content: null, tool_calls: [call('a', { id: 'c1' })] },
    { role: 'tool', tool_call_id: 'c1', content: '' },
    { role: 'user', content: 'x' },
    { role: 'function', name: 'read', content: '' },
  ];
  for (const message of messages) expect(withNamedCalls(message)).toBe(message);
});
