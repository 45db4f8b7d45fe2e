import { describe, expect, it } from 'vitest';
import { atomsOf } from '../../../src/domain/items/atoms.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { matchRounds } from '../../../src/domain/session/match-rounds.ts';
import { assistant, text, user } from '../../support/items.ts';

/** Calls made at once that the client tells one by one. */

const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `made ${id}` });
const question = user('Why does it fail?');

function match(log: readonly Item[], client: readonly Item[]) {
  const told = (item: Item) => ({ atoms: atomsOf(codecFor('anthropic'), item) });
  return matchRounds(
    log.map((item) => ({ ...told(item), isOurs: false })),
    client.map(told),
  );
}

describe('calls made at once', () => {
  const log = [
    question,
    assistant([text('Let me look.'), call('a'), call('b')]),
    user([result('a'), result('b')]),
  ];
  const oneByOne = [
    question,
    assistant([text('Let me look.'), call('a')]),
    user([result('a')]),
    assistant([call('b')]),
    user([result('b')]),
  ];

  it('are those that are told one by one', () => {
    expect(match(log, oneByOne)).toEqual({ kind: 'follows', known: 5, superseded: [] });
    expect(match(log, [...oneByOne, user('And now?')])).toMatchObject({ known: 5 });
  });

  it('are another past where a message that is told has more than the log', () => {
    const more = [...oneByOne.slice(0, 4), user([result('b'), text('By the way.')])];
    expect(match(log, more)).toBeNull();
  });

  it('are another past where only a part of their message is told', () => {
    const answered = [...log.slice(0, 2), user([result('a')])];
    expect(match(answered, [...oneByOne.slice(0, 3), user('Never mind.')])).toBeNull();
  });

  it('are another past where something new stands between a call and its result', () => {
    const between = [...oneByOne.slice(0, 4), user('Wait.'), user([result('b')])];
    expect(match(log, between)).toBeNull();
  });
});
