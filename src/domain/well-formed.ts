import { isJsonObject, type Json } from './json.ts';

/**
 * The JSON with every lone surrogate replaced by U+FFFD: half a character is no Unicode text, and
 * providers refuse a request that holds one. Where there is none it is the very same value.
 */
export function wellFormed<T extends Json>(json: T): T {
  return repaired(json) as T;
}

function repaired(json: Json): Json {
  if (typeof json === 'string') return json.isWellFormed() ? json : json.toWellFormed();
  if (Array.isArray(json)) {
    const entries = json.map(repaired);
    return entries.every((entry, index) => entry === json[index]) ? json : entries;
  }
  if (!isJsonObject(json)) return json;
  const entries = Object.entries(json).map(([name, value]): [string, Json] => [
    name.toWellFormed(),
    repaired(value),
  ]);
  const isSame = entries.every(([name, value]) => json[name] === value);
  return isSame ? json : Object.fromEntries(entries);
}
