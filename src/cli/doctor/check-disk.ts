import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DatabaseSettings } from '../../config.ts';
import { errorMessage } from '../../domain/error-message.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

const CHECK = 'disk';
const MEGABYTE = 1024 * 1024;
/** With less the next large append may fail. */
const TOO_LITTLE = 100;
const LITTLE = 1024;

/** Whether the database can be written, and how much room is left for it. */
export async function checkDisk(database: DatabaseSettings): Promise<Finding> {
  if (database.kind === 'postgres') {
    return note(
      CHECK,
      'that of PostgreSQL cannot be seen from here',
      'look at it on its own machine',
    );
  }
  if (database.path === ':memory:') {
    return note(
      CHECK,
      'the store is in memory, and ends with the process',
      'set DATABASE_URL=file:PATH',
    );
  }
  const path = resolve(database.path);
  const folder = nearestFolder(path);
  try {
    for (const written of existsSync(path) ? [path, folder] : [folder]) {
      accessSync(written, constants.W_OK);
    }
    const { bavail, bsize } = await statfs(folder);
    const free = Math.floor((bavail * bsize) / MEGABYTE);
    const says = `${free.toLocaleString('en-US')} MB free in ${folder}`;
    if (free < TOO_LITTLE)
      return trouble(CHECK, says, 'make room, or set DATABASE_URL to another disk');
    return free < LITTLE ? note(CHECK, says, 'make room before it is full') : ok(CHECK, says);
  } catch (error) {
    return trouble(CHECK, errorMessage(error), `let this user write to ${folder}`);
  }
}

/** The folder of a path, or what there is of it: the service makes the rest. */
function nearestFolder(path: string): string {
  const folder = dirname(path);
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return isThere || folder === path ? folder : nearestFolder(folder);
}
