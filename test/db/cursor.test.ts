import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidCursorError } from '../../src/app/ports/invalid-cursor-error.ts';
import { decodeCursor, encodeCursor } from '../../src/db/cursor.ts';

test('a cursor gives its position back, to its own list only', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (position) => {
      const cursor = encodeCursor('sessions', position);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor('sessions', cursor)).toBe(position);
      expect(() => decodeCursor('compactions', cursor)).toThrow(InvalidCursorError);
    }),
  );
});

test('any other text is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeCursor('sessions', text)).toThrow(InvalidCursorError);
    }),
  );
});
