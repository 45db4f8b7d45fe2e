import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export type Finished = { code: number | null; stdout: string; stderr: string };

/** Runs the command line with this environment and nothing of the machine's; needs the build. */
export function palimpsest(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', PALIMPSEST_THREADS: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const finished: Finished = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (finished.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (finished.stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...finished, code }));
  });
}

/** Runs it with its standard output in this file; what it prints there is not answered. */
export async function palimpsestInto(file: string, args: readonly string[]): Promise<Finished> {
  const output = openSync(file, 'w');
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', PALIMPSEST_THREADS: '0' },
    stdio: ['ignore', output, 'pipe'],
  });
  closeSync(output);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: '', stderr }));
  });
}
