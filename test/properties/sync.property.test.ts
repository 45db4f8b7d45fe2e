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
        { numRuns: atScale({ brief: 4, short: 24, long: 600 }) },
      );
    },
  );

  it('is it too where the client joins its own summary and what is said next', async () => {
    const blocks = fc.array(fc.constantFrom(OUTPUT, 'Mend it.', 'And the other.', 'Go on.'), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        blocks,
        wellFormedArbitrary(format),
        fc.array(fc.nat(), { maxLength: 4 }),
        async (texts, after, places) => {
          const before = [message(format, 'Why does it fail?')];
          const histories = places
            .map((place) => place % (after.length + 1))
            .sort((a, b) => a - b)
            .map((cut) => [message(format, SUMMARY, ...texts), ...after.slice(0, cut)]);
          const all = [message(format, SUMMARY, ...texts), ...after];
          const whole = await synced(format, [before, all]);
          expect(whole).toMatchObject({ matched: all.length, appended: 0 });
          expect(await synced(format, [before, ...histories, all])).toEqual(whole);
          const apart = [message(format, SUMMARY), message(format, ...texts), ...after];
          const { log } = await synced(format, [before, apart]);
          const isSaid = texts.some((text) => text !== OUTPUT);
          expect(whole.log).toEqual(isSaid ? log : [...before, ...after]);
        },
      ),
      { numRuns: atScale({ brief: 4, short: 16, long: 400 }) },
    );
  });
});

const OUTPUT = '<local-command-stdout>Compacted</local-command-stdout>';
const SUMMARY =
  'This session is being continued from a previous conversation that ran out of context. The summary ' +
  'below covers the earlier portion of the conversation.\n\nIt was looked for.';

function message(format: Format, ...texts: string[]): Item {
  const type = format === 'openai-responses' ? 'input_text' : 'text';
  return { role: 'user', content: texts.map((text) => ({ type, text })) };
}
