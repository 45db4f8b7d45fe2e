import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOurContent, OpaqueContent } from '../../src/app/opaque-content.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { EMPTY_LEDGER } from '../../src/domain/ledger/ledger.ts';

const SECRET = 'a secret of thirty-two characters';
const MEGABYTE = 1_000_000;
const ITEMS: Item[] = [{ role: 'user', content: 'The password is swordfish. '.repeat(20) }];

const opaque = new OpaqueContent(SECRET, []);
const refused = { name: 'OpaqueContentError', code: 'unreadable' };

describe('opaque content', () => {
  it('comes back as it was, for the tenant that it was made for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.string(),
        async (values, tenant) => {
          // What jsonValue makes is what Json names.
          const items = JSON.parse(JSON.stringify(values)) as Item[];
          const text = await opaque.seal(tenant, { items }, MEGABYTE);
          const { items: opened, bytes } = await opaque.open(tenant, text, MEGABYTE);
          expect(opened).toEqual(items);
          expect(bytes).toBe(Buffer.byteLength(JSON.stringify({ items })));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is versioned, compressed, never the same twice, and shows nothing', async () => {
    const [text, other] = await Promise.all([
      opaque.seal('red', { items: ITEMS }, MEGABYTE),
      opaque.seal('red', { items: ITEMS }, MEGABYTE),
    ]);
    expect(text).toMatch(/^pal1\.[A-Za-z0-9_-]+$/);
    expect(text.length).toBeLessThan(JSON.stringify(ITEMS).length / 2);
    expect(text).not.toBe(other);
    const bytes = Buffer.from(text.slice('pal1.'.length), 'base64url');
    expect(bytes.includes('swordfish')).toBe(false);
    expect(isOurContent(text)).toBe(true);
  });

  it('carries a ledger, unless that is of another version or does not fit beside the items', async () => {
    const ledger = { ...EMPTY_LEDGER, through: 7 };
    const opened = async (carried: object, most = MEGABYTE) => {
      const of = { items: ITEMS, ledger: carried as typeof ledger };
      return opaque.open('red', await opaque.seal('red', of, most), MEGABYTE);
    };
    expect(await opened(ledger)).toMatchObject({ items: ITEMS, ledger });
    const older = await opened({ ...ledger, version: 1 });
    expect([older.items, older.ledger]).toEqual([ITEMS, undefined]);
    const alone = await opened(ledger, Buffer.byteLength(JSON.stringify({ items: ITEMS })));
    expect([alone.items, alone.ledger]).toEqual([ITEMS, undefined]);
  });

  it('is refused when any one character of it is another', async () => {
    const text = await opaque.seal('red', { items: ITEMS }, MEGABYTE);
    for (let at = 'pal1.'.length; at < text.length; at++) {
      const letter = text[at] === 'A' ? 'B' : 'A';
      const changed = text.slice(0, at) + letter + text.slice(at + 1);
      await expect(opaque.open('red', changed, MEGABYTE), `at ${at}`).rejects.toMatchObject(
        refused,
      );
    }
  });

  it.each<[string, (text: string) => string]>([
    ['cut off', (text) => text.slice(0, -1)],
    ['nothing', () => 'pal1.'],
    ['too short', () => 'pal1.AAAA'],
    ['made up', () => `pal1.${randomBytes(200).toString('base64url')}`],
    ['followed by something', (text) => `${text} `],
    ['padded', (text) => `${text}==`],
    ['of another version', (text) => text.replace('pal1.', 'pal2.')],
  ])('is refused when it is %s', async (_, change) => {
    const text = await opaque.seal('red', { items: ITEMS }, MEGABYTE);
    await expect(opaque.open('red', change(text), MEGABYTE)).rejects.toMatchObject(refused);
  });

  it('is refused for another tenant, and with another secret', async () => {
    const text = await opaque.seal('red', { items: ITEMS }, MEGABYTE);
    await expect(opaque.open('blue', text, MEGABYTE)).rejects.toMatchObject(refused);
    const other = new OpaqueContent(SECRET.replace('a', 'b'), []);
    await expect(other.open('red', text, MEGABYTE)).rejects.toMatchObject(refused);
  });

  it('has a limit in both directions, so that nothing is made that could not be read', async () => {
    const large: Item[] = [{ role: 'user', content: 'a'.repeat(100_000) }];
    const tooLarge = { name: 'OpaqueContentError', code: 'too_large' };
    await expect(opaque.seal('red', { items: large }, 100_000)).rejects.toMatchObject(tooLarge);
    const text = await opaque.seal('red', { items: large }, MEGABYTE);
    expect(text.length).toBeLessThan(1_000);
    await expect(opaque.open('red', text, 100_000)).rejects.toMatchObject(tooLarge);
    await expect(opaque.open('red', text, 0)).rejects.toMatchObject(tooLarge);
  });
});

describe('without a secret', () => {
  const red = { name: 'red', key: 'k-red' };
  const blue = { name: 'blue', key: 'k-blue' };

  it('the keys are one, in any order, for every process that has them', async () => {
    const text = await new OpaqueContent(null, [red, blue]).seal('red', { items: ITEMS }, MEGABYTE);
    const again = new OpaqueContent(null, [blue, red]);
    expect((await again.open('red', text, MEGABYTE)).items).toEqual(ITEMS);
    const fewer = new OpaqueContent(null, [red]);
    await expect(fewer.open('red', text, MEGABYTE)).rejects.toMatchObject(refused);
  });

  it('and without keys, what one process made only that process reads', async () => {
    const process = new OpaqueContent(null, []);
    const text = await process.seal('local', { items: ITEMS }, MEGABYTE);
    expect((await process.open('local', text, MEGABYTE)).items).toEqual(ITEMS);
    const restarted = new OpaqueContent(null, []);
    await expect(restarted.open('local', text, MEGABYTE)).rejects.toMatchObject(refused);
  });
});

describe('content of others', () => {
  it.each(['gAAAAABk', '', 'pal.x', 'pal1', 'PAL1.x', ' pal1.x'])('%j is not ours', (text) => {
    expect(isOurContent(text)).toBe(false);
  });

  it('is ours in a version that is yet to come', () => {
    expect(isOurContent('pal12.x')).toBe(true);
  });
});
