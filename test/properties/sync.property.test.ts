import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { historyArbitrary, wellFormedArbitrary } from '../support/generators.ts';
import { atScale } from '../support/scale.ts';
import { SyncLab } from '../support/sync-lab.ts';

let lab: SyncLab;
let sessions = 0;
beforeAll(async () => {
  lab = await SyncLab.open();
});
afterAll(() => lab.close());

/** What a session holds after all of its syncs. */
async function synced(format: Format, histories: Item[][]) {
  sessions += 1;
  const id = `s-${sessions}`;
  await lab.create(id, format, {});
  for (const items of histories) {
    expect(await lab.sync(id, items)).toMatchObject({ superseded: [], divergence: null });
  }
  const last = await lab.sync(id, histories.at(-1) ?? []);
  const { context, hash, matched, appended } = last;
  return { log: await lab.items(id), context, hash, matched, appended };
}

const HISTORIES: [string, (format: Format) => fc.Arbitrary<Item[]>][] = [
  ['conversations', wellFormedArbitrary],
  ['what clients really post', historyArbitrary],
];

describe.each(FORMATS)('in %s', (format) => {
  it.each(HISTORIES)(
    'a sync of any prefix, then of any longer history, equals one append of it: %s',
    async (_, arbitrary) => {
      await fc.assert(
        fc.asyncProperty(
          arbitrary(format).filter((items) => items.length > 0),
          fc.array(fc.nat(), { maxLength: 4 }),
          async (items, places) => {
            const cuts = places.map((place) => 1 + (place % items.length)).sort((a, b) => a - b);
            const whole = await synced(format, [items]);
            expect(whole).toMatchObject({ log: items, matched: items.length, appended: 0 });
            const parts = await synced(
              format,
              [...cuts, items.length].map((cut) => items.slice(0, cut)),
            );
            expect(parts).toEqual(whole);
          },
        ),
        { numRuns: atScale({ brief: 4, short: 60, long: 600 }) },
      );
    },
  );
});
