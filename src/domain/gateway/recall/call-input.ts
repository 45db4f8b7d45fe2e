import type { Json } from '../../json.ts';

/** The arguments as they are meant; what is no JSON is told to the tool, which says what is wrong. */
export function inputOf(text: Json | undefined): Json {
  if (typeof text !== 'string' || text.trim() === '') return {};
  try {
    // JSON.parse yields exactly the values that Json names.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
