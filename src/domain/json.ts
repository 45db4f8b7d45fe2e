import { z } from 'zod';

/** Plain JSON, as it travels through the API, the event log and the provider formats. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
