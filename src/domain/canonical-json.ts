import { isJsonObject, type Json } from './json.ts';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * JSON text of which there is one for each value, whatever the order of the keys. Fields of these
 * names are left out, however deep they stand.
 */
export function canonicalJson(json: Json, leftOut: ReadonlySet<string> = NOTHING): string {
  if (Array.isArray(json)) {
    return `[${json.map((value) => canonicalJson(value, leftOut)).join(',')}]`;
  }
  if (!isJsonObject(json)) return JSON.stringify(json);
  let text = '';
  for (const name of Object.keys(json).sort()) {
    const value = json[name];
    if (value === undefined || leftOut.has(name)) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(value, leftOut)}`;
  }
  return `{${text}}`;
}
