import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What is measured, with a lock of its own. */
export const PEERS = join(import.meta.dirname, '../peers');

/** Installs the systems of their lock, where they are not there yet. */
export function installPeers(): void {
  const mark = join(PEERS, 'node_modules/.package-lock.json');
  const lock = join(PEERS, 'package-lock.json');
  if (existsSync(mark) && statSync(mark).mtimeMs > statSync(lock).mtimeMs) return;
  console.error('installing the other systems (700 MB) …');
  // Not `ci`: it refuses a lock without the packages of other platforms, which npm itself leaves out.
  npm('install', '--no-save', '--ignore-scripts');
  // The one driver that is no use without its script; where there is no binary for the machine it compiles.
  npm('rebuild', 'sqlite3');
}

function npm(...args: string[]): void {
  execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], {
    cwd: PEERS,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** A Node that all of them take, which may be newer than that of the caller. */
export function nodeOfPeers(): string {
  const packaged = join(PEERS, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  return existsSync(packaged) ? packaged : process.execPath;
}

/** The installed version of a package; of the service itself that of this repository. */
export function versionOf(name: string): string {
  const folder = name === 'palimpsest' ? join(PEERS, '../..') : join(PEERS, 'node_modules', name);
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
