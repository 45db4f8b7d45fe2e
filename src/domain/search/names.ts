/** Of an id: what is longer cannot be looked up in every index. */
const LONGEST_ID = 400;

/**
 * The name of a tool as indexes have it. Not every store can hold U+0000, or half a character: each stands
 * there as U+FFFD.
 */
export function indexedName(name: string): string {
  return name.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The id of a call as indexes have it. */
export function indexedId(id: string): string {
  return indexedName(id.slice(0, LONGEST_ID));
}
