import type { z } from 'zod';

/** A setting that cannot be used; the message names the variable or field and what it should be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** What is wrong, each problem with the path of its field. */
export function problemsOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ` : '') + issue.message)
    .join('; ');
}
