/** A message, item or block of any provider. */
export type Entry = { readonly [field: string]: unknown };
/** `isConverted`: the context is in another format than the session, so ids and names are ours. */
export type Options = { isConverted: boolean };

export function objects(value: unknown): Entry[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All texts that a model would read: text blocks, contents and outputs that are strings. */
export function textsOf(entry: Entry): string[] {
  return Object.entries(entry).flatMap(([field, value]): string[] => {
    if (typeof value === 'string')
      return ['text', 'content', 'output'].includes(field) ? [value] : [];
    if (field === 'source' || field === 'file') return [];
    if (isObject(value)) return textsOf(value);
    return objects(value).flatMap(textsOf);
  });
}
