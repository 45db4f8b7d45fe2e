import fc from 'fast-check';
import { expect, it } from 'vitest';
import { elementsOf } from '../../../src/domain/gateway/element-ends.ts';

const spaces = fc.constantFrom('', ' ', '\n\t');
const element = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom('"\\"],[{"', '[]', '{}', '-1.5e3', 'null', '""'),
);

it('up to the end of each element the text holds those before, however it is written', () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 6 }), spaces, spaces, (elements, gap, other) => {
      const list = `[${gap}${elements.join(`${gap},${other}`)}${other}]`;
      const text = `{${gap}"a":[1,"]"],"messages"${other}:${gap}${list},"b":{"messages":[]}}`;
      const found = elementsOf(text, 'messages');
      expect(found?.ends).toHaveLength(elements.length);
      expect(text.slice(found?.start)).toBe(text.slice(text.indexOf(list)));
      for (const [index, end] of (found?.ends ?? []).entries()) {
        const begun = text.slice(found?.start, end);
        expect(JSON.parse(`${begun}]`)).toEqual(
          elements.slice(0, index + 1).map((json): unknown => JSON.parse(json)),
        );
        expect(begun).toBe(begun.trimEnd());
      }
    }),
  );
});

it.each(['{}', '{"messages":"[]"}', '{"a":{"messages":[1]}}'])('%s has no such array', (text) => {
  expect(elementsOf(text, 'messages')).toBeNull();
});
