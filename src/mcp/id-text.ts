import { z } from 'zod';

/** An id as a client or a model names it. A NUL is in none of ours, and PostgreSQL does not even look for it. */
export function idText(longest: number) {
  return z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !text.includes('\0'), 'no id has a NUL in it');
}
