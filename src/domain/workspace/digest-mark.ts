/** How a digest of a tool result begins (SPEC 2, section 26). */
export const DIGEST_OPENING = '[Digest: ';

/** Whether a text is the digest of a tool result: only some of the original stands in it. */
export function isDigest(text: string): boolean {
  return text.startsWith(DIGEST_OPENING);
}
