import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counterFor, windowed } from '../../../src/domain/tokens/tokenizers.ts';
import { loadTokenizer } from '../../../src/tokenizer-loader.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { configWith } from '../../support/given.ts';

describe('windowed counting', () => {
  it('hands on every text in pieces of at most 1,025 characters, pairs kept whole', () => {
    const anyText = fc
      .array(fc.constantFrom('a'.repeat(700), 'é'.repeat(333), '👍'.repeat(600), 'x'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(anyText, (value) => {
        const pieces: string[] = [];
        const sum = windowed((piece) => {
          pieces.push(piece);
          return piece.length;
        })(value);
        expect(pieces.join('')).toBe(value);
        expect(sum).toBe(value.length);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(1025);
          expect(Buffer.from(piece).toString()).toBe(piece);
        }
      }),
    );
  });
});

describe.each(['o200k_base', 'cl100k_base'] as const)('tokenizer %s', (name) => {
  it('counts as published', async () => {
    const count = await loadTokenizer(name);
    expect(count('')).toBe(0);
    expect(count('hello world')).toBe(2);
  });

  // Without windows each of these blocks for seconds: byte-pair encoding is quadratic on them.
  it.each([
    ['one letter', 'a'.repeat(100_000)],
    ['spaces', ' '.repeat(100_000)],
    ['Chinese without punctuation', '中文字符测试'.repeat(5_000)],
  ])('finishes on %s', async (_name, value) => {
    const count = await loadTokenizer(name);
    const started = cpuMs();
    expect(count(value)).toBeGreaterThan(100);
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  it('counts the spelling of a special token as plain text', async () => {
    const count = await loadTokenizer(name);
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });
});

describe('counterFor', () => {
  it('takes the tokenizer that was handed in', () => {
    const tokenizers = { o200k_base: () => 7 };
    expect(counterFor(configWith({ token_counter: 'o200k_base' }), tokenizers)('x')).toBe(7);
    expect(counterFor(configWith(), tokenizers)('x')).toBe(1);
  });

  it('throws for one that was not', () => {
    const config = configWith({ token_counter: 'cl100k_base' });
    expect(() => counterFor(config, {})).toThrow('tokenizer cl100k_base is not loaded');
  });
});
