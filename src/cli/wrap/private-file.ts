import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes a text to a file that only this user can read, and that is gone when the process ends. Answers its path. */
export function privateFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'settings.json');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
