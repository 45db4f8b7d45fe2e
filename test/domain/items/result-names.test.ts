import { expect, it } from 'vitest';
import { openaiChatRequestMessage } from '../../../src/domain/items/openai-chat/request.ts';
import { withResultNamesAsTold } from '../../../src/domain/items/openai-chat/result-names.ts';

const calls = (...named: [id: string, name: string][]) => ({
  role: 'assistant',
  content: null,
  tool_calls: named.map(([id, name]) => ({
    id,
    type: 'function',
    function: { name, arguments: '{}' },
  })),
});
const result = (tool_call_id: string, name?: string) => ({
  role: 'tool',
  tool_call_id,
  ...(name !== undefined && { name }),
  content: 'nothing',
});

it('keeps the name of a tool on its result', () => {
  expect(openaiChatRequestMessage(result('a', 'read'))).toEqual(result('a', 'read'));
});

it('names a result that came without, by the newest call with its id', () => {
  const context = [
    calls(['a', 'read'], ['b', 'list']),
    result('a', 'read'),
    result('b'),
    calls(['b', 'write']),
    result('b'),
  ];
  expect(withResultNamesAsTold([result('a', 'read')], context)).toEqual([
    calls(['a', 'read'], ['b', 'list']),
    result('a', 'read'),
    result('b', 'list'),
    calls(['b', 'write']),
    result('b', 'write'),
  ]);
});

it('names none where the client does not', () => {
  const context = [calls(['a', 'read']), result('a')];
  expect(withResultNamesAsTold(context, context)).toEqual(context);
});
