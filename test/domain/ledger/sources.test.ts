import { expect, it } from 'vitest';
import { EMPTY_LEDGER, type Ledger } from '../../../src/domain/ledger/ledger.ts';
import { sourcesOf } from '../../../src/domain/ledger/sources.ts';

const name = (value: string, seq: number): Ledger['names'][number] => ({
  name: value,
  seq,
  last_seq: seq,
  weight: 1,
  heat: 1,
  at: seq,
});
const seqs = (line: string, ...names: [string, number][]) => {
  const ledger = { ...EMPTY_LEDGER, names: names.map(([value, seq]) => name(value, seq)) };
  return sourcesOf([line], ledger).flat();
};
const source = (seq: number) => ({ kind: 'name', seq, of: null });

it('names the sources of what a line quotes in the order of the line', () => {
  expect(seqs('second.ts then first.ts', ['first.ts', 1], ['second.ts', 2])).toEqual([
    source(2),
    source(1),
  ]);
});

it('names the longer one first of two that begin at the same place', () => {
  const both: [string, number][] = [
    ['parse', 1],
    ['parseLine', 2],
  ];
  expect(seqs('it calls parseLine', ...both)).toEqual([source(2), source(1)]);
});

it('looks over line breaks, names no place twice, and at most six', () => {
  const many = Array.from({ length: 9 }, (_, n): [string, number] => [`name${n}`, n]);
  expect(seqs(many.map(([value]) => value).join(' '), ...many)).toHaveLength(6);
  expect(seqs('one name, one\n  name', ['one name', 4], ['name, one', 4])).toEqual([source(4)]);
  expect(seqs('nothing of all this', ['other', 1], ['of', 2])).toEqual([]);
});
