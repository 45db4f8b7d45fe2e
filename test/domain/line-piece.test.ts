import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linePiece, linesOf } from '../../src/domain/line-piece.ts';

const ALL = { line: 1, character: 1, to_line: Number.MAX_SAFE_INTEGER };

describe('linePiece', () => {
  it.each([
    ['', 1],
    ['a', 1],
    ['a\n', 1],
    ['\n', 1],
    ['a\nb', 2],
    ['a\n\n', 2],
  ])('%j has %i lines', (text, lines) => {
    expect(linesOf(text)).toBe(lines);
  });

  it('takes whole lines, as many as fit', () => {
    expect(linePiece('one\ntwo\nthree', ALL, 8)).toEqual({
      text: 'one\ntwo',
      from: { line: 1, character: 1 },
      to_line: 2,
      lines: 3,
      next: { line: 3, character: 1 },
    });
  });

  it('goes from line to line as asked, and knows none behind the last', () => {
    expect(linePiece('a\nb\nc\nd\n', { line: 2, character: 1, to_line: 3 }, 99)).toMatchObject({
      text: 'b\nc',
      to_line: 3,
      lines: 4,
      next: null,
    });
    expect(linePiece('a\nb', { ...ALL, line: 3 }, 99)).toBeNull();
  });

  it('takes a line apart that is too long, never a character', () => {
    const first = linePiece('ab😀cd', ALL, 5);
    expect(first).toMatchObject({ text: 'ab', next: { line: 1, character: 3 } });
    expect(linePiece('ab😀cd', { ...ALL, character: 3 }, 5)).toMatchObject({ text: '😀c' });
    expect(linePiece('ab😀cd', { ...ALL, character: 4 }, 5)).toMatchObject({ text: '😀c' });
    expect(linePiece('😀', ALL, 1)).toMatchObject({ text: '😀', next: null });
  });

  it('the pieces of any text are the text, and each fits or is one character', () => {
    const texts = fc.array(fc.constantFrom('a', 'bc', '\n', 'ä', '水', '😀', ' ', '\r\n'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (parts, bytes) => {
        const text = parts.join('');
        let told = '';
        for (let asked = ALL; ; ) {
          const piece = linePiece(text, asked, bytes);
          expect(piece).not.toBeNull();
          if (piece === null) return;
          expect(Buffer.byteLength(piece.text) <= bytes || [...piece.text].length === 1).toBe(true);
          told += piece.text;
          if (piece.next === null) break;
          if (piece.next.character === 1) told += '\n';
          asked = { ...ALL, ...piece.next };
        }
        expect(told).toBe(text.replace(/\n$/, ''));
      }),
    );
  });
});
