import { z } from 'zod';

/** Plain JSON, as it travels through the API, the event log and the provider formats. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of an array; none of anything else. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The object that a JSON text holds; null when it holds none, or is no JSON. */
export function jsonObjectIn(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}

/** Of what was parsed from JSON text, only that it is an object is left to check; it stays as it is. */
export const jsonObjectSchema = z.custom<JsonObject>(isJsonObject, 'must be an object');

/** A string field of an object, or undefined when it is absent or of another type. */
export function stringField(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

/** Whether two values are the same JSON text. Nothing is written where they are alike part by part. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return isAlike(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

function isAlike(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, at) => isAlike(value, other[at]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const keys = Object.keys(one);
  const others = Object.keys(other);
  return (
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && isAlike(one[key], other[key]))
  );
}

/** All strings inside a JSON value, at any depth that a tool input has. */
export function stringsOf(json: Json): string[] {
  const strings: string[] = [];
  const pending: Json[] = [json];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') strings.push(next);
    else if (typeof next === 'object' && next !== null) {
      for (const value of Object.values(next).reverse()) pending.push(value);
    }
  }
  return strings;
}
