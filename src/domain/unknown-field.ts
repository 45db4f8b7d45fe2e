import { z } from 'zod';
import { nearestName } from './nearest-name.ts';

/** So many names are said where none is near. */
const MOST_NAMED = 10;

/**
 * What to do about the field `name`, which the object at `path` does not have: the name that it most
 * likely stands for, those that begin like it, the object inside of this one that has it, or all that there are.
 */
export function unknownFieldHint(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  name: string,
): string {
  const objects = path.reduce((found, key) => found.flatMap((one) => inside(one, key)), [schema]);
  const shapes = objects.flatMap(shapesOf);
  const names = [...new Set(shapes.flatMap(Object.keys))];
  const nearest = nearestName(name, names);
  if (nearest !== null) return `there is no field "${name}" here: did you mean "${nearest}"?`;
  for (const [field, type] of shapes.flatMap((shape) => Object.entries(shape))) {
    if (shapesOf(type).some((shape) => Object.hasOwn(shape, name))) {
      return `there is no field "${name}" here: it belongs inside "${field}"`;
    }
  }
  const begins = names.filter((one) => one.startsWith(name)).slice(0, MOST_NAMED);
  const longer = name.length < 4 ? [] : begins;
  return `there is no field "${name}" here: ${longer.length > 0 ? `did you mean ${listed(longer, 'or')}?` : knownWords(names)}`;
}

function knownWords(names: readonly string[]): string {
  if (names.length === 0 || names.length > MOST_NAMED) return 'check its name or leave it out';
  return names.length === 1 ? `the only one is "${names[0]}"` : `there are ${listed(names, 'and')}`;
}

function listed(names: readonly string[], word: string): string {
  const last = `"${names.at(-1)}"`;
  const before = names.slice(0, -1).map((name) => `"${name}"`);
  return before.length === 0 ? last : `${before.join(', ')} ${word} ${last}`;
}

type Shape = Record<string, z.ZodType>;

/** The fields of a schema that describes an object, or several of them in a union. */
function shapesOf(schema: z.ZodType): Shape[] {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodObject) return [plain.shape];
  if (plain instanceof z.ZodUnion) return plain.options.flatMap(asTypes).flatMap(shapesOf);
  return [];
}

/** The schemas of what stands under `key`. */
function inside(schema: z.ZodType, key: PropertyKey): z.ZodType[] {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodArray) return asTypes(plain.element);
  return shapesOf(plain).flatMap((shape) =>
    Object.hasOwn(shape, key) ? asTypes(shape[String(key)]) : [],
  );
}

function unwrapped(schema: z.ZodType): z.ZodType {
  let plain = schema;
  while (
    plain instanceof z.ZodOptional ||
    plain instanceof z.ZodNullable ||
    plain instanceof z.ZodDefault
  ) {
    const [inner] = asTypes(plain.unwrap());
    if (inner === undefined) break;
    plain = inner;
  }
  return plain;
}

/** The types of zod's core are what its containers hold; all that are made here are of zod itself. */
function asTypes(schema: unknown): z.ZodType[] {
  return schema instanceof z.ZodType ? [schema] : [];
}
