import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { plainOf, readBody, textOf } from '../../../src/api/gateway/body.ts';

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

describe('a body is read as it came', () => {
  const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, at) => at % 251));

  /** A request whose body comes in pieces of this size. */
  function inPieces(size: number, told: number | null): Request {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const body = ReadableStream.from(pieces);
    const headers = told === null ? [] : [['content-length', String(told)]];
    const options = { method: 'POST', body, headers, duplex: 'half' };
    return new Request('http://localhost/', options as RequestInit);
  }

  test.each([1, 999, 1_000, 1_250, 5_000, 10_000])('in pieces of %i bytes', async (size) => {
    for (const told of [null, bytes.length]) {
      const read = await readBody(inPieces(size, told));
      expect(read.kind === 'whole' && read.bytes.equals(bytes)).toBe(true);
    }
  });

  test('where it is shorter or longer than it was announced', async () => {
    const short = await readBody(inPieces(1_000, 20_000));
    expect(short.kind === 'whole' && short.bytes.equals(bytes)).toBe(true);
    const long = await readBody(inPieces(1_000, 5_500));
    if (long.kind !== 'long') throw new Error('it was cut off');
    expect((await buffer(long.stream)).equals(bytes)).toBe(true);
  });

  test('and goes on as a stream where it is too long to be kept', async () => {
    for (const told of [null, bytes.length]) {
      const read = await readBody(inPieces(1_000, told), { most: 5_000 });
      if (read.kind !== 'long') throw new Error('it was kept');
      expect((await buffer(read.stream)).equals(bytes)).toBe(true);
    }
  });
});

describe('the bytes of a body', () => {
  test('are those that came, unpacked', async () => {
    const text = Buffer.from('{"said":"schön 🦜"}');
    expect(await plainOf(text, null)).toEqual(text);
    expect(await plainOf(gzipSync(text), 'gzip')).toEqual(text);
  });

  test.each([
    ['says the same again and again', Buffer.from('{"a":1}\n'.repeat(400_000))],
    ['is long', Buffer.from('{"a":1}\n'.repeat(300_000) + randomBytes(100_000).toString('hex'))],
  ])('are there where the text %s', async (_, text) => {
    expect((await plainOf(gzipSync(text), 'gzip'))?.equals(text)).toBe(true);
  });

  test.each([
    ['what is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), null],
    ['a character that is cut', Buffer.from([0x78, 0xf0, 0x9f]), null],
    ['what is not packed as it says', Buffer.from('{}'), 'gzip'],
    ['a coding that nobody knows', Buffer.from('{}'), 'rot13'],
    ['what unpacks to a thousand times as much', gzipSync(Buffer.alloc(20_000_000, ' ')), 'gzip'],
    ['what was nearly nothing', brotliCompressSync(Buffer.alloc(20_000_000, ' ')), 'br'],
  ])('are none of %s', async (_, bytes, coding) => {
    expect(await plainOf(bytes, coding)).toBeNull();
  });
});
