import { z } from 'zod';
import { nearestName } from './nearest-name.ts';

/**
 * What to do about the field `name`, which the object at `path` does not have: the name that it most
 * likely stands for, or the object inside of this one that has it.
 */
export function unknownFieldHint(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  name: string,
): string {
  const objects = path.reduce((found, key) => found.flatMap((one) => inside(one, key)), [schema]);
  const shapes = objects.flatMap(shapesOf);
  const nearest = nearestName(name, shapes.flatMap(Object.keys));
  if (nearest !== null) return `there is no field "${name}" here: did you mean "${nearest}"?`;
  for (const [field, type] of shapes.flatMap((shape) => Object.entries(shape))) {
    if (shapesOf(type).some((shape) => Object.hasOwn(shape, name))) {
      return `there is no field "${name}" here: it belongs inside "${field}"`;
    }
  }
  return `there is no field "${name}" here: check its name or leave it out`;
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
