import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('RW-82: without the file of the packet prompt the service does not start, and names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-templates-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['dist', 'templates', 'migrations', 'package.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  rmSync(join(folder, 'templates/packet.md'));
  const env = { PATH: process.env.PATH, DATABASE_URL: `file:${join(folder, 'x.db')}`, PORT: '0' };
  const serving = promisify(execFile)(process.execPath, [join(folder, 'dist/cli.js'), 'serve'], {
    env,
    timeout: 150_000,
  });
  await expect(serving).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/templates\/packet\.md/),
  });
});
