import { expect, it } from 'vitest';
import { atomsOf } from '../../../src/domain/items/atoms.ts';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { matchWithoutToldForOnce } from '../../../src/domain/session/told-for-once.ts';
import { assistant, text, user } from '../../support/items.ts';

/** What a client puts into one request alone, and leaves out of the history later. */

function match(log: readonly Item[], client: readonly Item[], format: Format = 'anthropic') {
  const told = (item: Item) => ({ atoms: atomsOf(codecFor(format), item) });
  return matchWithoutToldForOnce(
    log.map((item) => ({ ...told(item), isOurs: false })),
    client.map(told),
  );
}

const call = (id: string) => ({ type: 'tool_use', id, name: 'bash', input: { command: id } });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `made ${id}` });
const memory = (n: number) => text(`\n\n<memory>Entry ${n}.</memory>`);
const asked = text('Why does it fail?');

it('a block of the newest message that is gone later is taken back with the answer', () => {
  const answer = assistant([text('I look.'), call('a')]);
  const log = [user([asked, memory(1)]), answer];
  const client = [user([asked]), answer, user([result('a')])];
  expect(match(log, client)).toEqual({ kind: 'follows', known: 0, superseded: [0, 1] });
  // Strands tells an answer that calls a tool without its text.
  const bare = [user([asked]), assistant([call('a')]), user([result('a')])];
  expect(match(log, bare)).toMatchObject({ superseded: [0, 1] });
});

it('so is one behind the result of a tool', () => {
  const begun = [user([asked]), assistant([call('a')])];
  const more = assistant([call('b')]);
  const log = [...begun, user([result('a'), memory(1)]), more];
  const client = [...begun, user([result('a')]), more, user([result('b'), memory(2)])];
  expect(match(log, client)).toEqual({ kind: 'follows', known: 2, superseded: [2, 3] });
});

it('so is a message that stood behind the result', () => {
  const chat = (id: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'bash', arguments: '{}' } }],
  });
  const answered = (id: string) => ({ role: 'tool', tool_call_id: id, content: `made ${id}` });
  const begun = [{ role: 'user', content: 'Why does it fail?' }, chat('a'), answered('a')];
  const log = [...begun, { role: 'user', content: '<memory>Entry 1.</memory>' }, chat('b')];
  const client = [...begun, chat('b'), answered('b')];
  expect(match(log, client, 'openai-chat')).toMatchObject({ known: 2, superseded: [2, 3, 4] });
});

it('another answer, other words, or something gone earlier is another past', () => {
  const answer = assistant([text('I look.'), call('a')]);
  const log = [user([asked, memory(1)]), answer];
  const other = assistant([text('I look.')]);
  expect(match(log, [user([asked]), assistant([text('No.')]), user('And now?')])).toBeNull();
  expect(match(log, [user('Why not?'), answer, user([result('a')])])).toBeNull();
  const greeted = assistant('How can I help?');
  expect(match([user('Hi'), greeted], [greeted, user('My order is late.')])).toBeNull();
  const system = { role: 'system', content: 'Be short.' };
  const chat = [system, user('Hi'), greeted];
  expect(match(chat, [system, greeted, user('My order is late.')], 'openai-chat')).toBeNull();
  const later = [...log, user([result('a')]), other];
  expect(
    match(later, [user([asked]), answer, user([result('a')]), other, user('Go on.')]),
  ).toBeNull();
});
