import { isJsonObject, stringField } from '../../json.ts';
import type { Item } from '../item.ts';

/**
 * The items as the API takes them where a program of the provider is not there any more: its output is
 * left out, and the calls that it has made, with their outputs, are the model's own.
 */
export function withoutStrayPrograms(items: readonly Item[]): Item[] {
  const programs = new Set<string>();
  return items.flatMap((item) => {
    if (item.type === 'program') programs.add(stringField(item, 'call_id') ?? '');
    if (item.type === 'program_output') {
      return programs.has(stringField(item, 'call_id') ?? '') ? [item] : [];
    }
    const program = isJsonObject(item.caller) ? stringField(item.caller, 'caller_id') : undefined;
    if (program === undefined || programs.has(program)) return [item];
    const { caller: _, ...own } = item;
    return [own];
  });
}
