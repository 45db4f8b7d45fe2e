import { describe, expect, it } from 'vitest';
import { fileBlock, keyOf, tokensOf } from '../../src/adapters/content.ts';

const BYTES = new Uint8Array([1, 2, 3]);
const INLINE = { type: 'base64', media_type: 'image/png', data: 'AQID' };

describe('fileBlock', () => {
  it.each([
    ['AI SDK 6, bytes', { type: 'file', mediaType: 'image/png', data: BYTES }],
    [
      'AI SDK 7, bytes',
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: BYTES } },
    ],
    ['AI SDK, in a result', { type: 'image-data', mediaType: 'image/png', data: 'AQID' }],
    ['LangChain', { type: 'image', mimeType: 'image/png', data: 'AQID' }],
    ['Chat Completions', { type: 'image_url', image_url: 'data:image/png;base64,AQID' }],
  ])('inlines a picture of %s', (_, part) => {
    expect(fileBlock(part)).toEqual({ type: 'image', source: INLINE });
  });

  it.each([
    ['AI SDK 6', { type: 'file', mediaType: 'image/*', data: new URL('https://a.example/b.png') }],
    [
      'AI SDK 7',
      {
        type: 'file',
        mediaType: 'image',
        data: { type: 'url', url: new URL('https://a.example/b.png') },
      },
    ],
    ['Chat Completions', { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
    ['Anthropic', { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }],
  ])('keeps the address of %s', (_, part) => {
    const source = { type: 'url', url: 'https://a.example/b.png' };
    expect(fileBlock(part)).toEqual({ type: 'image', source });
  });

  it('tells documents and texts from pictures, and what is neither', () => {
    const pdf = { type: 'file', mediaType: 'application/pdf', data: 'JVBE' };
    expect(fileBlock(pdf)).toMatchObject({ type: 'document', source: { data: 'JVBE' } });
    const text = { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'Hi.' } };
    expect(fileBlock(text)).toEqual({ type: 'text', text: 'Hi.' });
    expect(fileBlock({ type: 'custom' })).toBeNull();
  });
});

describe('tokensOf', () => {
  it('counts four bytes of JSON as one token, and files as none', () => {
    expect(tokensOf({ a: 'ü'.repeat(400) })).toBe(Math.ceil((800 + 8) / 4));
    expect(tokensOf(undefined)).toBe(0);
    const file = 'A'.repeat(100_000);
    const parts = [file, `data:image/png;base64,${file}`, new Uint8Array(9), Buffer.from('bytes')];
    expect(tokensOf(parts)).toBeLessThan(40);
  });
});

describe('keyOf', () => {
  it('is the same in whichever order the keys come', () => {
    expect(keyOf({ a: 1, b: { d: [1], c: 2 } })).toBe(keyOf({ b: { c: 2, d: [1] }, a: 1 }));
    expect(keyOf([1, 2])).not.toBe(keyOf([2, 1]));
  });
});
