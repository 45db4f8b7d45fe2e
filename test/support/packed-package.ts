import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../house/sources.ts';

const packedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

/** Puts the tarball of the build, as it would be published, into a folder. */
export async function packInto(folder: string): Promise<{ name: string; files: string[] }> {
  // The build is there already, and others are using it.
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', packing, { cwd: ROOT, maxBuffer: 16e6 });
  const [{ filename, files }] = packedSchema.parse(JSON.parse(stdout));
  return { name: filename, files: files.map(({ path }) => path) };
}

/** All that a program in such a folder is told by its environment. */
export function bareEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, PORT: '0', LOG_LEVEL: 'warn', ...more };
}

/** Starts the service of a folder as who has installed it there does, and waits until it answers. */
export async function serveFrom(folder: string, more: Record<string, string> = {}) {
  const service = spawn('npx', ['palimpsest', 'serve'], {
    cwd: folder,
    env: bareEnvironment(more),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: npx does not hand every signal on.
    detached: true,
  });
  let output = '';
  const read = (chunk: Buffer) => {
    output += chunk.toString();
  };
  service.stdout.on('data', read);
  service.stderr.on('data', read);
  const ended = new Promise((resolve) => service.once('exit', resolve));
  const stop = async () => {
    if (service.pid !== undefined && service.exitCode === null)
      process.kill(-service.pid, 'SIGTERM');
    await ended;
  };
  try {
    await expect.poll(() => output, { timeout: 60_000 }).toContain('reference:');
  } catch (error) {
    await stop();
    throw error;
  }
  const url = /listening on (\S+)/.exec(output)?.[1] ?? '';
  return { url, output, stop };
}
