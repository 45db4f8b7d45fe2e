import { InvalidCursorError } from '../ports/invalid-cursor-error.ts';

/** Where a search goes on: two figures that the way of searching knows the meaning of. */
export type SearchPlace = { scope: number; at: number };

export function encodePlace(way: 'words' | 'regex', { scope, at }: SearchPlace): string {
  return Buffer.from(`${way}:${scope}:${at}`).toString('base64url');
}

/** Throws InvalidCursorError for a cursor of another way, or of another list. */
export function decodePlace(
  way: 'words' | 'regex',
  cursor: string | undefined,
): SearchPlace | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, found, scope, at] = /^([a-z]+):(\d{1,3}):(\d{1,16})$/.exec(text) ?? [];
  if (found !== way) throw new InvalidCursorError();
  return { scope: Number(scope), at: Number(at) };
}
