import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeCuts } from '../../../src/domain/context/invariants/safe-cuts.ts';
import { codecFor, FORMATS } from '../../../src/domain/items/codecs.ts';
import { type Item, OWN_MESSAGE_FIELDS } from '../../../src/domain/items/item.ts';
import { providerProblems } from '../../support/foreign/context-rules.ts';
import { historyArbitrary, markersOf, wellFormedArbitrary } from '../../support/generators.ts';
import { atScale } from '../../support/scale.ts';

const RUNS = atScale({ brief: 25, short: 100, long: 400 });

describe.each(FORMATS)('rendering %s', (format) => {
  const codec = codecFor(format);
  const hasOwnId = format === 'openai-responses';

  function stripped(item: Item): Item {
    const own = new Set<string>(hasOwnId ? OWN_MESSAGE_FIELDS : [...OWN_MESSAGE_FIELDS, 'id']);
    return Object.fromEntries(Object.entries(item).filter(([field]) => !own.has(field)));
  }

  function property(name: string, holds: (items: Item[]) => void): void {
    test(name, () => fc.assert(fc.property(historyArbitrary(format), holds), { numRuns: RUNS }));
  }

  property('every item of a history is accepted', (items) => {
    expect(items.flatMap((item) => codec.check(item))).toEqual([]);
  });

  property('a rendered history breaks no rule of the provider', (items) => {
    expect(codec.violations(codec.render(items))).toEqual([]);
  });

  property("the provider's own types and rules say nothing against it", (items) => {
    expect(providerProblems(format, codec.render(items), { isConverted: false })).toEqual([]);
  });

  property('rendering is deterministic, leaves its input alone and repairs once', (items) => {
    const before = structuredClone(items);
    const rendered = codec.render(items);
    expect(codec.render(items)).toEqual(rendered);
    expect(items).toEqual(before);
    expect(codec.render(rendered)).toEqual(rendered);
  });

  property('a rendered history is made of items that the format accepts', (items) => {
    expect(codec.render(items).flatMap((item) => codec.check(item))).toEqual([]);
  });

  property('after any safe cut the tail is valid and complete after a user message', (items) => {
    const cuts = safeCuts(items.map((item) => codec.normalise(item)));
    const kept = markersOf(codec.render(items));
    for (const [cut, isSafe] of cuts.entries()) {
      if (!isSafe) continue;
      const tail = items.slice(cut);
      const rendered = codec.render([codec.message('user', 'summary'), ...tail]);
      expect(codec.violations(rendered)).toEqual([]);
      const covered = markersOf(items.slice(0, cut));
      const there = markersOf(rendered);
      const lost = [...markersOf(tail)].filter(
        (marker) => kept.has(marker) && !covered.has(marker) && !there.has(marker),
      );
      expect(lost).toEqual([]);
    }
  });

  property('a history converted to any other format breaks no rule there', (items) => {
    const normalised = items.map((item) => codec.normalise(item));
    for (const target of FORMATS) {
      const other = codecFor(target);
      const converted = normalised.flatMap((item) => other.encode(item));
      expect(converted.flatMap((item) => other.check(item))).toEqual([]);
      const rendered = other.render(converted);
      expect(other.violations(rendered)).toEqual([]);
      const isConverted = target !== format;
      expect(providerProblems(target, rendered, { isConverted })).toEqual([]);
    }
  });

  test('what needs no repair comes out as it was posted, without our own fields', () => {
    fc.assert(
      fc.property(wellFormedArbitrary(format), (items) => {
        expect(codec.violations(items.map(stripped))).toEqual([]);
        expect(codec.render(items)).toEqual(items.map(stripped));
      }),
      { numRuns: RUNS },
    );
  });

  test('a well-formed conversation keeps every text in every other format but thinking', () => {
    fc.assert(
      fc.property(wellFormedArbitrary(format), (items) => {
        const normalised = items.map((item) => codec.normalise(item));
        const said = normalised.flatMap((item) =>
          item.kind === 'message' ? item.parts.filter((part) => part.kind !== 'thinking') : [],
        );
        for (const target of FORMATS) {
          const other = codecFor(target);
          const converted = other.render(normalised.flatMap((item) => other.encode(item)));
          const there = markersOf(converted);
          expect([...markersOf(said)].filter((marker) => !there.has(marker))).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
