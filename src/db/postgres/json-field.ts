/**
 * SQL for a text of JSON that stands in a column of text, by its key. PostgreSQL reads every string of it
 * for that, and fails at U+0000 and at half a character, which JSON can name and its texts cannot hold:
 * so no escape is left that names a character by its number. The text that is asked for has none.
 */
export function jsonField(column: string, key: string): string {
  // Of `\\u` there stays `\/u`, which is an escape as well.
  return `replace(${column}, '\\u', '/u')::json ->> '${key}'`;
}
