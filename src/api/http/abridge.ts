import type { FieldError } from '../../domain/session/errors.ts';

/** Errors that an answer lists: a body with one mistake in every element would make more than itself. */
export const MAX_ERRORS = 100;
const MAX_NAMED = 10;
/** UTF-16 units: more than any message of ours, less than a name or value that somebody made up. */
const MAX_TEXT = 2_000;

/** At most 100 errors, their texts shortened, and one more that says so when some were left out. */
export function firstErrors(errors: readonly FieldError[]): FieldError[] {
  const listed = errors.slice(0, MAX_ERRORS).map(({ path, message }) => ({
    path: shortened(path),
    message: shortened(message),
  }));
  if (errors.length > MAX_ERRORS) {
    listed.push({ path: '', message: `and more: only the first ${MAX_ERRORS} are listed` });
  }
  return listed;
}

/** The first ten texts in one. */
export function joined(texts: readonly string[], separator: string): string {
  const named = texts.slice(0, MAX_NAMED).map(shortened).join(separator);
  return texts.length > MAX_NAMED ? `${named} and more` : named;
}

/** The text, cut off after 2,000 characters. */
export function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
