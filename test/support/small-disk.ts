import { execFileSync } from 'node:child_process';

/** Mounts a disk of so many megabytes at a folder; false where mounting is not allowed. */
export function mountDisk(path: string, megabytes: number): boolean {
  const size = `size=${megabytes}m`;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'none', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function unmountDisk(path: string): void {
  execFileSync('umount', [path]);
}
