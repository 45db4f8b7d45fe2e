import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the file in which the processes of one test run add up their kills. */
const VARIABLE = 'TEST_KILLS_FILE';

/** vitest `globalSetup`: at the end of the run it says how many processes and servers were killed. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-kills-'));
  const file = join(folder, 'kills');
  appendFileSync(file, '');
  process.env[VARIABLE] = file;
  return () => {
    const total = readFileSync(file, 'utf8')
      .split('\n')
      .reduce((sum, n) => sum + Number(n), 0);
    if (total > 0) console.log(`fault tests: ${total} processes and servers killed in this run`);
    rmSync(folder, { recursive: true });
  };
}

/** Adds to the count of the run, if there is one. */
export function addKills(count: number): void {
  const file = process.env[VARIABLE];
  if (file !== undefined && count > 0) appendFileSync(file, `${count}\n`);
}
