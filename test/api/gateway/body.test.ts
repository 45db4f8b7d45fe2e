import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { plainOf, textOf } from '../../../src/api/gateway/body.ts';

/** Bodies longer than this are decoded in parts of so many bytes. */
const PART = 1_000_000;

describe('the text of a long body', () => {
  test.each([
    ['ASCII', 'a'],
    ['two bytes', 'é'],
    ['three bytes', '語'],
    ['four bytes', '🦜'],
    ['a mark of the order of bytes, which is text here', '\uFEFF'],
  ])('is whole wherever a part ends: %s', async (_, character) => {
    for (const before of [PART - 4, PART - 3, PART - 2, PART - 1, PART]) {
      const text = `${'x'.repeat(before)}${character.repeat(5)}${'y'.repeat(PART)}`;
      expect((await textOf(Buffer.from(text), null)) === text, `after ${before}`).toBe(true);
    }
  });

  test('goes without the mark of the order of bytes that it begins with', async () => {
    const text = 'x'.repeat(PART + 1);
    expect((await textOf(Buffer.from(`\uFEFF${text}`), null)) === text).toBe(true);
  });

  test.each([
    ['where a part ends', Buffer.from([0xe8, 0xaa])],
    ['many of the middle of a character', Buffer.alloc(9, 0x80)],
  ])('is none where it is no UTF-8: %s', async (_, broken) => {
    for (const before of [PART - 6, PART - 2, PART - 1, PART]) {
      const bytes = Buffer.concat([Buffer.alloc(before, 'x'), broken, Buffer.alloc(PART, 'y')]);
      expect(await textOf(bytes, null), `after ${before}`).toBeNull();
    }
    const cut = Buffer.concat([Buffer.alloc(2 * PART, 'x'), Buffer.from([0xf0, 0x9f])]);
    expect(await textOf(cut, null)).toBeNull();
  });
});

describe('the bytes of a body', () => {
  test('are those that came, unpacked', async () => {
    const text = Buffer.from('{"said":"schön 🦜"}');
    expect(await plainOf(text, null)).toEqual(text);
    expect(await plainOf(gzipSync(text), 'gzip')).toEqual(text);
  });

  test.each([
    ['what is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), null],
    ['a character that is cut', Buffer.from([0x78, 0xf0, 0x9f]), null],
    ['what is not packed as it says', Buffer.from('{}'), 'gzip'],
    ['a coding that nobody knows', Buffer.from('{}'), 'rot13'],
  ])('are none of %s', async (_, bytes, coding) => {
    expect(await plainOf(bytes, coding)).toBeNull();
  });
});
