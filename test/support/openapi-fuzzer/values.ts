import { isJsonObject, type Json, type JsonObject } from '../../../src/domain/json.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { resolve } from './document.ts';
import { HOSTILE_STRINGS, randomJson } from './hostile.ts';

/** Deeper schemas get the smallest value that fits. */
const DEPTH = 6;
/** Candidates for strings that have to fit a pattern. */
const NAMES = ['a', 'abc', 'fuzz-1', 'x.y_z:0', '12', '7', '0'];
const SOME_PROPERTIES = 3;

/** A value that fits the schema, as far as JSON Schema's usual keywords say. */
export function valueFor(
  document: JsonObject,
  schema: JsonObject,
  random: SeededRandom,
  depth = 0,
): Json {
  const target = resolve(document, schema);
  const again = (inner: Json | undefined) =>
    isJsonObject(inner) ? valueFor(document, inner, random, depth + 1) : randomJson(random);
  if (target.const !== undefined) return target.const;
  if (Array.isArray(target.enum)) return random.pick(target.enum);
  for (const key of ['anyOf', 'oneOf']) {
    const choices = target[key];
    if (Array.isArray(choices)) return again(random.pick(choices));
  }
  if (Array.isArray(target.allOf)) return mergedObject(target.allOf.map(again));
  const type = Array.isArray(target.type) ? random.pick(target.type) : target.type;
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return numberFor(target, random);
    case 'number':
      return random.chance(0.5) ? numberFor(target, random) : numberFor(target, random) + 0.5;
    case 'string':
      return stringFor(target, random);
    case 'array':
      return arrayFor(target, random, depth, again);
    case 'object':
      return objectFor(target, random, depth, again);
    default:
      return randomJson(random);
  }
}

function numberFor(schema: JsonObject, random: SeededRandom): number {
  const least = bound(schema.minimum, bound(schema.exclusiveMinimum, -1) + 1);
  const most = bound(schema.maximum, bound(schema.exclusiveMaximum, least + 1_000_001) - 1);
  const small = Math.min(most, least + random.pick([0, 1, 10, 1_000, 100_000]));
  return random.chance(0.1) ? most : random.int(least, Math.max(least, small));
}

function stringFor(schema: JsonObject, random: SeededRandom): string {
  if (typeof schema.pattern === 'string') {
    const pattern = new RegExp(schema.pattern, 'u');
    const fitting = NAMES.filter((name) => pattern.test(name));
    return fitting.length === 0 ? 'a' : random.pick(fitting);
  }
  const least = bound(schema.minLength, 0);
  const most = bound(schema.maxLength, 200);
  const text = random.chance(0.3) ? random.pick(HOSTILE_STRINGS) : random.pick(NAMES);
  return text.padEnd(least, 'x').slice(0, most);
}

function arrayFor(
  schema: JsonObject,
  random: SeededRandom,
  depth: number,
  again: (inner: Json | undefined) => Json,
): Json[] {
  const least = bound(schema.minItems, 0);
  const extra = depth >= DEPTH ? 0 : random.int(0, 3);
  const length = Math.min(least + extra, bound(schema.maxItems, least + extra));
  return Array.from({ length }, () => again(schema.items));
}

function objectFor(
  schema: JsonObject,
  random: SeededRandom,
  depth: number,
  again: (inner: Json | undefined) => Json,
): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const share = depth >= DEPTH ? 0 : SOME_PROPERTIES / Math.max(SOME_PROPERTIES, optional.length);
  const chosen = Object.keys(properties).filter(
    (name) => required.includes(name) || random.chance(share * 0.6),
  );
  return Object.fromEntries(chosen.map((name) => [name, again(properties[name])]));
}

function mergedObject(parts: Json[]): Json {
  return Object.assign({}, ...parts.filter(isJsonObject));
}

function bound(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
