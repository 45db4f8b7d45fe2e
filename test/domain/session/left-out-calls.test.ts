import { expect, it } from 'vitest';
import { atomsOf } from '../../../src/domain/items/atoms.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { matchWithoutLeftOutCalls } from '../../../src/domain/session/left-out-calls.ts';

/** Mastra leaves the calls of its working memory out of the history from the next turn on. */

function match(log: readonly Item[], client: readonly Item[]) {
  const told = (item: Item) => ({ atoms: atomsOf(codecFor('openai-chat'), item) });
  return matchWithoutLeftOutCalls(
    log.map((item) => ({ ...told(item), isOurs: false })),
    client.map(told),
  );
}

const said = (content: string, role = 'user') => ({ role, content });
const call = (id: string, name: string, content: string | null = null) => ({
  role: 'assistant',
  content,
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{"memory":"# User"}' } }],
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '{"success":true}' });

const MEMORY = 'updateWorkingMemory';
const asked = said('Mend the parser.');
const log = [
  asked,
  call('a', MEMORY, 'I plan first.'),
  result('a'),
  call('b', 'readFile'),
  result('b'),
  call('c', MEMORY),
  result('c'),
  said('It is mended.', 'assistant'),
];
const told = [asked, said('I plan first.', 'assistant'), call('b', 'readFile'), result('b')];

it('calls that are left out with their results are no other past', () => {
  const client = [...told, said('It is mended.', 'assistant'), said('And join?')];
  expect(match(log, client)).toEqual({ kind: 'follows', known: 5, superseded: [] });
});

it('a client that goes back to before them has another past', () => {
  expect(match(log, [...told.slice(0, 1), said('No, the lexer.')])).toBeNull();
  expect(match(log, [...told, said('No, the lexer.')])).toBeNull();
  expect(match(log.slice(0, 7), [...told, said('It is mended.', 'assistant')])).toBeNull();
});

it('a window over the newest calls leaves out those of a tool that goes on', () => {
  const rounds = ['a', 'b', 'c', 'd'].map((id) => [call(id, 'bash'), result(id)]);
  const [, ...newest] = rounds.flat().slice(1);
  expect(match([asked, ...rounds.flat()], [asked, ...newest])).toBeNull();
  const done = said('It is mended.', 'assistant');
  expect(
    match([asked, ...rounds.flat(), done], [asked, ...newest, done, said('And join?')]),
  ).toBeNull();
});
