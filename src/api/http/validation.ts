import type { z } from '@hono/zod-openapi';
import { IN_PLAIN_WORDS } from '../../domain/issue-words.ts';
import type { FieldError } from '../../domain/session/errors.ts';
import { unknownFieldHint } from '../../domain/unknown-field.ts';
import { joined, MAX_ERRORS } from './abridge.ts';
import { ProblemError } from './problem.ts';

/** The value as the schema has it. Throws ProblemError (400) that names every offending field. */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value, IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(schema, issue));
  const names = [...new Set(errors.map(({ path }) => path))].filter((path) => path !== '');
  const where = names.length === 0 ? what : `${what} (${joined(names, ', ')})`;
  throw new ProblemError(
    'invalid_request',
    `${where} cannot be used: ${joined(
      errors.map(({ message }) => message),
      '; ',
    )}`,
    { errors },
  );
}

function fieldErrors(schema: z.ZodType, issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    // One more than will be listed, so that the answer says that there are more.
    return issue.keys.slice(0, MAX_ERRORS + 1).map((key) => ({
      path: [...issue.path, key].map(String).join('.'),
      message: unknownFieldHint(schema, issue.path, key),
    }));
  }
  return [{ path: issue.path.map(String).join('.'), message: issue.message }];
}

/** What may be undefined may be absent. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Absent fields are absent, not undefined: what is stored is then what was sent. */
export function withoutUndefined<T extends object>(body: T): Defined<T> {
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  // The filter has just taken out every undefined.
  return Object.fromEntries(entries) as Defined<T>;
}
