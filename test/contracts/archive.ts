import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Archive, ArchiveError } from '../../src/app/ports/archive.ts';

/** A place that nobody has used, and a look at it past the archive. */
type ArchivePlaceOfTest = {
  archive: Archive;
  /** Names of files in it, without what the archive adds to them. */
  files: () => string[];
  /** The same place, which cannot be reached now. */
  away: Archive;
};

const NAME = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

/** What every archive does. */
export function archiveContract(name: string, open: () => Promise<ArchivePlaceOfTest>): void {
  describe(`an archive, ${name}`, () => {
    let place: ArchivePlaceOfTest;
    beforeEach(async () => {
      place = await open();
      await place.archive.prepare();
    });

    test('gives back what was written, byte for byte', async () => {
      const { archive, files } = place;
      for (const size of [0, 1, 3_000_000]) {
        const bytes = randomBytes(size);
        const file = NAME.slice(0, -1) + (size % 7);
        await archive.write(file, bytes);
        // Not the array itself: runners print what differs.
        expect(Buffer.compare((await archive.read(file, size)) ?? Buffer.of(9), bytes)).toBe(0);
        expect(files()).toContain(file);
      }
      expect(files()).toHaveLength(3);
    });

    test('knows what it does not have', async () => {
      const { archive } = place;
      expect(await archive.read(NAME, 3)).toBe(null);
      await archive.write(NAME, Buffer.from('one'));
      expect(await archive.read(OTHER, 3)).toBe(null);
    });

    test('removes one file, and does nothing where there is none', async () => {
      const { archive, files } = place;
      await archive.write(NAME, Buffer.from('one'));
      await archive.write(OTHER, Buffer.from('other'));
      await archive.remove(NAME);
      await archive.remove(NAME);
      expect(files()).toEqual([OTHER]);
      expect(await archive.read(NAME, 3)).toBe(null);
      expect(Buffer.from((await archive.read(OTHER, 5)) ?? []).toString()).toBe('other');
    });

    test('reads nothing of another length for what was written', async () => {
      const { archive } = place;
      await archive.write(NAME, Buffer.alloc(200_000, 'one'));
      for (const bytes of [0, 1, 199_999, 200_001]) {
        await expect(archive.read(NAME, bytes)).rejects.toMatchObject({ kind: 'damaged' });
      }
      expect((await archive.read(NAME, 200_000))?.length).toBe(200_000);
    });

    test('may be prepared again, and loses nothing', async () => {
      const { archive } = place;
      await archive.write(NAME, Buffer.from('one'));
      await archive.prepare();
      expect(Buffer.from((await archive.read(NAME, 3)) ?? []).toString()).toBe('one');
    });

    test('says that it cannot be reached, and not that a file is missing', async () => {
      const { away } = place;
      for (const ask of [
        () => away.read(NAME, 3),
        () => away.write(NAME, Buffer.from('one')),
        () => away.remove(NAME),
      ]) {
        const error = await ask().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ArchiveError);
        expect(error).toMatchObject({ kind: 'unavailable', cause: expect.any(Error) });
      }
    });
  });
}
