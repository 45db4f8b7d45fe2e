import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The full path of the first of these programs that is on PATH. Throws when none is. */
export async function findOnPath(...names: string[]): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      try {
        await access(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new Error(`${names.join(' or ')} is not there`);
}

/** What a program prints. Throws with its error output when it fails. */
export async function outputOf(command: string, parameters: string[]): Promise<string> {
  const { stdout } = await run(command, parameters);
  return stdout.trim();
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
