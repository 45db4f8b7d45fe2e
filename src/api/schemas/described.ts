import type { z } from '@hono/zod-openapi';

/**
 * The fields of a schema of the domain, each with what the reference says of it: the domain's schemas
 * know nothing of the document.
 */
export function described<S extends Record<string, z.ZodType>>(
  shape: S,
  texts: { readonly [K in keyof S]: string },
): S {
  const fields = Object.entries(shape).map(([name, schema]) => [
    name,
    schema.describe(texts[name] ?? ''),
  ]);
  // The same schemas under the same names.
  return Object.fromEntries(fields) as S;
}
