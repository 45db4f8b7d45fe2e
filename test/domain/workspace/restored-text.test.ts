import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../../src/domain/items/item.ts';
import { textOfRestored } from '../../../src/domain/workspace/restored-text.ts';

function attachment(text: string, parts: NonNullable<Attachment['lines']>['parts']): Attachment {
  const lines = { parts, total: null, changed_by: null };
  return { kind: 'attachment', attachment: 'file', path: '/a', text, is_empty: false, lines };
}

describe('textOfRestored', () => {
  it('takes each line of the text for one line of the file, however often a client names it', () => {
    const text = Array.from({ length: 1_000 }, (_, n) => `line ${n}`).join('\n');
    const parts = Array.from({ length: 20_000 }, (_, n) => ({
      at: 0,
      from: n * 1_000 + 1,
      to: (n + 1) * 1_000,
    }));
    expect(textOfRestored(attachment(text, parts)).text.blocks).toEqual([{ first: 1, text }]);
  });

  it('keeps the parts that stand in the text one after the other', () => {
    const parts = [
      { at: 0, from: 3, to: 4 },
      { at: 3, from: 10, to: 10 },
    ];
    expect(textOfRestored(attachment('c\nd\n…\nj', parts)).text.blocks).toEqual([
      { first: 3, text: 'c\nd' },
      { first: 10, text: 'j' },
    ]);
  });
});
