import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withOrigins } from '../../../src/domain/context/origins.ts';
import { renderEntries } from '../../../src/domain/context/render.ts';
import type { View } from '../../../src/domain/context/view.ts';
import { FORMATS, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Entry, Origin } from '../../../src/domain/session/entry.ts';
import { wellFormedArbitrary } from '../../support/generators.ts';
import { assistant, attachment, call, GHOST, result, text, user } from '../../support/items.ts';

function entry(item: Item, seq: number | null, origin: Origin = 'log'): Entry {
  return { item, seq, origin, tokens: 1 };
}

function origins(
  entries: Entry[],
  originals: View['originals'] = new Map(),
  format: Format = 'anthropic',
  target: Format = format,
) {
  const rendered = renderEntries(entries, format, target);
  const found = withOrigins({ entries, originals }, rendered, { format, target });
  expect(found.map(({ item }) => item)).toEqual(rendered);
  return found.map(({ seq, origin, edited }) => `${seq} ${origin}${edited ? ' edited' : ''}`);
}

describe('withOrigins', () => {
  it('names the first item of the log that went into a message', () => {
    const entries = [entry(user('a'), 2), entry(user('b'), 3), entry(assistant('c'), 5)];
    expect(origins(entries)).toEqual(['2 log', '5 log']);
  });

  it('tells equal items apart, in their order', () => {
    const turns = [2, 4, 6].flatMap((seq) => [
      entry(user('again'), seq),
      entry(assistant('ok'), seq + 1),
    ]);
    expect(origins(turns)).toEqual(['2 log', '3 log', '4 log', '5 log', '6 log', '7 log']);
  });

  it('knows what a compaction made, and files in the words of a message', () => {
    const entries = [
      entry(user('rules'), null, 'initial'),
      entry(assistant('ready'), null, 'preserved'),
      entry(GHOST, null, 'ghost'),
      entry(attachment('file', 'const a = 1;', 'a.ts'), null, 'file'),
    ];
    expect(origins(entries)).toEqual(['null initial', 'null preserved', 'null file']);
  });

  it('says which results were edited, and what is only there for the provider', () => {
    const edited = result('c1', '[cleared]');
    const entries = [
      entry(call('c1', 'Read', { path: 'a' }), 3),
      entry(edited, 4),
      entry(call('c2', 'Read', { path: 'b' }), 5),
      entry(assistant([text('Not now.')]), 6),
      entry(user('Go on.'), 7),
    ];
    expect(origins(entries, new Map([[4, result('c1', 'text')]]))).toEqual([
      // A conversation begins with the user.
      'null added',
      '3 log',
      '4 log edited',
      '5 log',
      '7 log',
    ]);
  });

  it('finds results where another format puts them', () => {
    const calls = assistant([
      { type: 'tool_use', id: 'c1', name: 'Read', input: {} },
      { type: 'tool_use', id: 'c2', name: 'Read', input: {} },
    ]);
    const entries = [
      entry(user('go'), 2),
      entry(calls, 3),
      entry(result('c2', 'two'), 4),
      entry(result('c1', 'one'), 5),
    ];
    expect(origins(entries, new Map(), 'anthropic', 'openai-chat')).toEqual([
      '2 log',
      '3 log',
      '4 log',
      '5 log',
    ]);
  });

  for (const format of FORMATS) {
    it(`finds a place for all that was said, in order: ${format}`, () => {
      fc.assert(
        fc.property(wellFormedArbitrary(format), (items) => {
          const entries = items.map((item, index) => entry(item, index + 2));
          const rendered = renderEntries(entries, format, format);
          const found = withOrigins({ entries, originals: new Map() }, rendered, {
            format,
            target: format,
          });
          const seqs = found.flatMap(({ seq }) => seq ?? []);
          expect(seqs).toHaveLength(rendered.length);
          expect(new Set(seqs).size).toBe(seqs.length);
        }),
        { numRuns: 30 },
      );
    });
  }
});
