import { fnv1a } from '../fnv.ts';

/** Ids of the providers have some 30 characters; gateways put signatures of kilobytes after them. */
const LONGEST_ID = 200;
const HEAD_CHARACTERS = 100;

/**
 * What the head of a session keeps of the id of a call: the id, or its start with length and hash
 * where it is long. Whoever sends the ids must not decide how large a head becomes. A key is its own
 * key.
 */
export function callKey(id: string): string {
  if (id.length <= LONGEST_ID) return id;
  return `${id.slice(0, HEAD_CHARACTERS)}…${id.length}-${fnv1a(id, 0x811c9dc5)}${fnv1a(id, 0x01000193)}`;
}
