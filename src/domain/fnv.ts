/** FNV-1a, 32 bits, in base 36; the seeds make two of them one hash of 64 bits. */
export function fnv1a(text: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
