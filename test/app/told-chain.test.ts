import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Telling } from '../../src/app/telling.ts';
import { BEGINNING, ToldChain } from '../../src/app/told-chain.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { user } from '../support/items.ts';

const texts = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constant('x'.repeat(70_000)) },
  ),
  { maxLength: 50 },
);

it('a telling comes to the same however it is cut, and from each place that it can be gone on from', () => {
  fc.assert(
    fc.property(texts, fc.nat(50), (all, cut) => {
      const items = all.map((text) => user(text));
      const whole = new ToldChain(BEGINNING).add(items);
      const inTwo = new ToldChain(BEGINNING).add(items.slice(0, cut));
      // Looking at it changes nothing.
      expect(inTwo.told.items).toBe(Math.min(cut, items.length));
      expect(inTwo.add(items.slice(cut)).told).toEqual(whole.told);
      for (const start of whole.starts) {
        const on = new ToldChain(start).add(items.slice(start.items));
        expect(on.told).toEqual(whole.told);
        expect(on.starts).toEqual(whole.starts.filter((one) => one.items > start.items));
      }
    }),
  );
});

it('another item at any place comes to something else', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 40 }), fc.nat(), (all, place) => {
      const items = all.map((text) => user(text));
      const other = items.with(place % items.length, user(`${all[place % items.length]}!`));
      expect(new ToldChain(BEGINNING).add(other).told).not.toEqual(
        new ToldChain(BEGINNING).add(items).told,
      );
    }),
  );
});

it('what a telling was not handed over cannot be read of it', () => {
  const items = Array.from({ length: 40 }, (_, at) => user(`${at}`));
  const before = new Telling('anthropic', items.slice(0, 35), null);
  const [start] = before.starts;
  if (start === undefined) throw new Error('there is no place to go on from');
  const on = new Telling('anthropic', items.slice(start.items), before.told, start);
  expect(on).toMatchObject({ known: 35, told: new Telling('anthropic', items, null).told });
  expect(on.itemsFrom(35)).toEqual(items.slice(35));
  expect(() => on.itemsFrom(0)).toThrow('');
  expect(() => on.piecesFrom(start.items - 1)).toThrow('');
});

it('a telling is known again whatever its instructions go on with, once the model has answered', () => {
  const telling = (time: string, turns: number): Item[] => [
    { role: 'system', content: `You mend builds.\nIt is ${time}.` },
    { role: 'user', content: 'Why does the build fail?' },
    ...Array.from({ length: turns }, (_, at) => ({ role: 'assistant', content: `Step ${at}` })),
  ];
  const told = (items: Item[], before: Telling | null, enough: number) =>
    new Telling('openai-chat', items, before?.told ?? null, BEGINNING, enough);
  const known = (before: Item[], now: Item[], enough = 1) =>
    told(now, told(before, null, enough), enough).known;
  expect(known(telling('17:00', 20), telling('17:05', 21))).toBe(22);
  expect(known(telling('17:00', 20), telling('17:05', 21), 1_000)).toBe(0);
  expect(known(telling('17:00', 0), telling('17:05', 0))).toBe(0);
  expect(known(telling('17:00', 0), telling('17:00', 0))).toBe(2);
  const other = telling('17:00', 20).with(0, { role: 'system', content: 'You test builds.' });
  expect(known(other, telling('17:00', 20))).toBe(0);
  const plain = new Telling('openai-chat', telling('17:00', 20), null);
  expect(new Telling('openai-chat', telling('17:05', 20), plain.told).known).toBe(0);
});
