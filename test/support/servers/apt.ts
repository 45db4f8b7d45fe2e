import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findOnPath, isRoot } from './programs.ts';

const run = promisify(execFile);
/** Debian asks this program whether a package may start its service. */
const POLICY = '/usr/sbin/policy-rc.d';
const FORBIDDEN = '#!/bin/sh\nexit 101\n';

/** Installs a Debian or Ubuntu package without starting its service. Throws unless run as root. */
export async function aptInstall(name: string): Promise<void> {
  await findOnPath('apt-get');
  if (!isRoot()) throw new Error('needs root');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const forbade = await forbidServices();
  try {
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-qq', '--no-install-recommends', name], { env });
  } finally {
    if (forbade) await rm(POLICY);
  }
}

/** False when the machine has a rule of its own. */
async function forbidServices(): Promise<boolean> {
  try {
    await writeFile(POLICY, FORBIDDEN, { flag: 'wx', mode: 0o755 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
