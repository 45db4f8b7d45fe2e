/** Whether two paths are of one file, as far as their ends tell: one may be written from a folder. */
export function isSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}
