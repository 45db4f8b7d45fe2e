import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Archive, ArchiveError } from '../../app/ports/archive.ts';

const OWNER_ONLY = 0o600;
const FOLDER_OWNER_ONLY = 0o700;

/** An archive in a folder, which only its owner may look into. */
export class FolderArchive implements Archive {
  readonly place: string;

  constructor(folder: string) {
    this.place = folder;
  }

  async prepare(): Promise<void> {
    await reaching(() => mkdir(this.place, { recursive: true, mode: FOLDER_OWNER_ONLY }));
  }

  async write(file: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(file);
    await reaching(async () => {
      await within(await open(path, 'wx', OWNER_ONLY), async (handle) => {
        try {
          await handle.writeFile(bytes);
          await handle.sync();
        } catch (error) {
          await rm(path, { force: true });
          throw error;
        }
      });
      // The name is on disk as well.
      await within(await open(this.place, 'r'), (folder) => folder.sync());
    });
  }

  async read(file: string, bytes: number): Promise<Uint8Array | null> {
    return reaching(async () => {
      try {
        // A pipe in its place would keep a thread that all others need waiting for ever.
        const handle = await open(this.#pathOf(file), constants.O_RDONLY | constants.O_NONBLOCK);
        return await within(handle, (opened) => wholeFile(opened, bytes));
      } catch (error) {
        if (!isMissing(error)) throw error;
        // A disk that is not mounted is not an archive without this file.
        await stat(this.place);
        return null;
      }
    });
  }

  async remove(file: string): Promise<void> {
    await reaching(async () => {
      await stat(this.place);
      await rm(this.#pathOf(file), { force: true });
    });
  }

  #pathOf(file: string): string {
    return join(this.place, `${file}.jsonl.gz`);
  }
}

/** Throws ArchiveError for what the archive has never written, such as a device without an end. */
async function wholeFile(handle: FileHandle, bytes: number): Promise<Uint8Array> {
  const found = await handle.stat();
  if (!found.isFile() || found.size !== bytes) throw new ArchiveError('damaged');
  return handle.readFile();
}

async function within<T>(handle: FileHandle, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ArchiveError ? error : new ArchiveError('unavailable', error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
