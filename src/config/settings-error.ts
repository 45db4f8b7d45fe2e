import type { z } from 'zod';
import { unknownFieldHint } from '../domain/unknown-field.ts';

/** A setting that cannot be used; the message names the variable or field and what it should be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** What is wrong with a value of this schema, each problem with the path of its field. */
export function problemsOf(schema: z.ZodType, error: z.ZodError): string {
  return error.issues
    .flatMap((issue) => {
      const place = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
      if (issue.code !== 'unrecognized_keys') return [place + issue.message];
      return issue.keys.map((key) => place + unknownFieldHint(schema, issue.path, key));
    })
    .join('; ');
}
