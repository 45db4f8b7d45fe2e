import { expect, it, vi } from 'vitest';
import { HistoryKeys, noHistory } from '../../../src/app/gateway/history-keys.ts';
import { KnownHistories } from '../../../src/app/gateway/known-histories.ts';
import { Telling } from '../../../src/app/telling.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { assistant, call, result, user } from '../../support/items.ts';

const TALK: Item[] = [
  user('Why does the build fail?'),
  assistant('Let me look.'),
  call('t1', 'Bash', {}),
  result('t1', 'error: no such file'),
  assistant('A file is missing.'),
  user('Write it.'),
];

const anew = (scope: string, items: readonly Item[]) =>
  new HistoryKeys('anthropic', noHistory(scope, 'anthropic')).add(items).state;

it('a history that grows comes to the same as one that is read anew, wherever it was told before', () => {
  for (let first = 0; first <= TALK.length; first++) {
    const histories = new KnownHistories();
    const before = new Telling('anthropic', TALK.slice(0, first), null);
    expect(histories.state('u', before)).toEqual(anew('u', TALK.slice(0, first)));
    const more = new Telling('anthropic', TALK, before.told);
    expect(histories.state('u', more)).toEqual(anew('u', TALK));
  }
});

it('only what is new of a known history is taken apart, also where cache marks have moved', () => {
  const histories = new KnownHistories();
  const before = new Telling('anthropic', TALK.slice(0, 5), null);
  histories.state('u', before);
  const added = vi.spyOn(HistoryKeys.prototype, 'add');
  const [first, ...rest] = TALK;
  const marked = [{ ...first, cache_control: { type: 'ephemeral' } }, ...rest];
  const state = histories.state('u', new Telling('anthropic', marked, before.told));
  expect(added).toHaveBeenCalledExactlyOnceWith(TALK.slice(5));
  added.mockRestore();
  expect(state).toEqual(anew('u', TALK));
});

it('an edited history, and that of another upstream, are read anew', () => {
  const histories = new KnownHistories();
  const before = new Telling('anthropic', TALK.slice(0, 5), null);
  histories.state('u', before);
  const edited = [user('Something else.'), ...TALK.slice(1)];
  const told = before.told;
  expect(histories.state('u', new Telling('anthropic', edited, told))).toEqual(anew('u', edited));
  expect(histories.state('v', new Telling('anthropic', TALK, told))).toEqual(anew('v', TALK));
});
