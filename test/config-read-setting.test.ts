import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSetting } from '../src/config/read-setting.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-setting-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function pipe(name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
}

it('reads what a program writes into a pipe', async () => {
  const path = pipe('written');
  const writer = spawn('sh', ['-c', 'head -c 300000 /dev/zero | tr "\\0" a > "$1"', 'sh', path]);
  expect(readSetting(path)).toBe('a'.repeat(300_000));
  await new Promise((resolve) => writer.once('close', resolve));
});

it('does not wait for ever for somebody to write', () => {
  expect(() => readSetting(pipe('silent'), 100)).toThrow(
    'it is a pipe, and nothing came through it for 0.1 seconds',
  );
});

it('reads no device without end, and says that a folder is one', () => {
  expect(() => readSetting('/dev/zero')).toThrow('it is neither a file nor a pipe');
  expect(() => readSetting(folder)).toThrow('EISDIR');
});

it('reads a file', () => {
  const path = join(folder, 'file');
  writeFileSync(path, '[compact]\n');
  expect(readSetting(path)).toBe('[compact]\n');
});
