import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pairTools, type ToolEvent } from '../../../src/domain/items/pairing.ts';
import { cpuMs } from '../../support/cpu-time.ts';

/** `a` is a call, `A` its result, `-` other words of the model, `|` something said to it. */
function eventOf(letter: string): ToolEvent {
  if (letter === '|') return { kind: 'said' };
  if (letter === '-') return { kind: 'model' };
  const id = letter.toLowerCase();
  return { kind: letter === id ? 'call' : 'result', id };
}

function partners(letters: string): (number | null)[] {
  return pairTools([...letters].map(eventOf));
}

/** The indices of each call with that of its result, as `call>result`. */
function pairs(letters: string): string {
  const found = partners(letters);
  return [...letters]
    .flatMap((letter, index) => {
      const isCall = /[a-z]/.test(letter);
      return isCall && typeof found[index] === 'number' ? [`${index}>${found[index]}`] : [];
    })
    .join(' ');
}

describe('calls and results are joined by id', () => {
  test.each([
    ['in order', 'abBA', '0>3 1>2'],
    ['without a partner', 'abB', '1>2'],
    ['result before its call', 'Aa', '1>0'],
    ['result before its call, however far', 'A|-|-|a', '6>0'],
    ['parallel calls after their results', 'BAab', '2>1 3>0'],
    ['a result comes late, after other words', 'a|-|A', '0>4'],
    ['an id that is used again', 'aAaA', '0>1 2>3'],
    ['used again, each result before its call', 'Aa|Aa-|Aa|', '1>0 4>3 8>7'],
    ['an interrupted call, the id used again', 'a|aA', '2>3'],
    ['two calls of one id in one turn, in their order', 'aaAA', '0>2 1>3'],
    ['the first was made again before its result came', 'aaA', '1>2'],
    ['a second result belongs to nothing', 'aAA', '0>1'],
    ['nor does it shift those that follow', 'aAA|aA|aA', '0>1 4>5 7>8'],
    ['nor to the next call as long as that is open', 'aAAa', '0>1'],
    ['the next call was given up: the result was its own', 'aAAa|', '0>1 3>2'],
    ['a stray result of an id shifts nothing', 'A|aAaA|aA', '2>3 4>5 7>8'],
    ['one of several that are left', 'aAAAa|', '0>1 4>2'],
    ['an interrupted call gets a result that is left over', 'a|aAA', '0>4 2>3'],
  ])('%s: %s', (_, letters, expected) => {
    expect(pairs(letters)).toBe(expected);
  });
});

const lettersArbitrary = fc
  .array(fc.constantFrom('a', 'A', 'b', 'B', 'c', 'C', '-', '|'), { maxLength: 40 })
  .map((letters) => letters.join(''));

test('partners name each other, and join one call with one result of the same id', () => {
  fc.assert(
    fc.property(lettersArbitrary, (letters) => {
      const found = partners(letters);
      for (const [index, partner] of found.entries()) {
        if (partner === null) continue;
        expect(found[partner]).toBe(index);
        expect(letters[partner]).not.toBe(letters[index]);
        expect(letters[partner]?.toLowerCase()).toBe(letters[index]?.toLowerCase());
      }
    }),
  );
});

test('no call that was given up is left without result while a result of its id is left', () => {
  fc.assert(
    fc.property(lettersArbitrary, (letters) => {
      const given = `${letters}|`;
      const found = partners(given);
      for (const id of 'abc') {
        const left = (letter: string) =>
          [...given].filter((other, index) => other === letter && found[index] === null).length;
        expect(Math.min(left(id), left(id.toUpperCase()))).toBe(0);
      }
    }),
  );
});

test('no cut between pairs changes what the others belong to', () => {
  fc.assert(
    fc.property(lettersArbitrary, (letters) => {
      const given = `${letters}|`;
      const whole = partners(given);
      for (let cut = 1; cut < given.length; cut++) {
        const isBetween = whole.slice(0, cut).every((partner) => (partner ?? 0) < cut);
        if (!isBetween) continue;
        const rest = partners(given.slice(cut));
        const moved = rest.map((partner) => (partner === null ? null : partner + cut));
        expect(moved).toEqual(whole.slice(cut));
      }
    }),
  );
});

test('a pair of an id that is used once stays one, whatever follows', () => {
  const start = fc
    .shuffledSubarray(['x', 'X', 'y', 'Y', '-', '|'])
    .map((letters) => letters.join(''));
  fc.assert(
    fc.property(start, lettersArbitrary, (letters, more) => {
      const before = partners(letters);
      const after = partners(letters + more);
      expect(after.slice(0, letters.length)).toEqual(before);
    }),
  );
});

test.each([
  ['in reverse order', (n: number) => ['result', 'call'].flatMap((kind) => ids(n, kind))],
  ['of one id', (n: number) => ['result', 'call', 'result'].flatMap((kind) => same(n, kind))],
])('20,000 calls and results %s take linear time', (_, eventsOf) => {
  const events = eventsOf(20_000);
  const started = cpuMs();
  const found = pairTools(events);
  expect(cpuMs() - started).toBeLessThan(1000);
  expect(found.filter((partner) => partner !== null)).toHaveLength(40_000);
});

function ids(n: number, kind: string): ToolEvent[] {
  const events = Array.from({ length: n }, (_, index) => ({ kind, id: `call_${index}` }));
  return (kind === 'call' ? events.reverse() : events) as ToolEvent[];
}

function same(n: number, kind: string): ToolEvent[] {
  return Array.from({ length: n }, () => ({ kind, id: 'call_0' })) as ToolEvent[];
}
