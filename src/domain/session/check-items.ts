import type { ItemProblem } from '../items/codec.ts';
import { codecFor, type Format } from '../items/codecs.ts';
import { foreignHint } from '../items/foreign-format.ts';
import type { Item } from '../items/item.ts';
import type { Json } from '../json.ts';
import type { FieldError } from './errors.ts';

/** Checking stops soon after this many problems: nobody reads on, and a body could hold millions. */
const ENOUGH_ERRORS = 100;

/**
 * The items of a request when each of them fits the format, else what is wrong with them; paths
 * start with `field` and the index of the item.
 */
export function checkItems(
  format: Format,
  field: string,
  json: readonly Json[],
): { ok: true; items: Item[] } | { ok: false; errors: FieldError[] } {
  const items: Item[] = [];
  const errors: FieldError[] = [];
  for (const [index, value] of json.entries()) {
    const problems = problemsOf(format, value);
    for (const { path, message } of problems) {
      errors.push({ path: [field, index, ...path].join('.'), message });
    }
    if (errors.length > ENOUGH_ERRORS) break;
    // `check` has just established that this JSON is an item of the format.
    if (problems.length === 0) items.push(value as Item);
  }
  return errors.length === 0 ? { ok: true, items } : { ok: false, errors };
}

/** An item of another format has one problem, which is not the field that the check stumbles over. */
function problemsOf(format: Format, value: Json): ItemProblem[] {
  const problems = codecFor(format).check(value);
  const hint = foreignHint(format, value);
  return hint === null ? problems : [{ path: problems[0]?.path ?? [], message: hint }];
}
