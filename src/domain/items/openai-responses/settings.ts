import { canonicalJson } from '../../canonical-json.ts';
import { objectsIn, stringField } from '../../json.ts';
import type { Item } from '../item.ts';

const ADDITIONAL_TOOLS = 'additional_tools';
const SETTINGS: ReadonlySet<string> = new Set([ADDITIONAL_TOOLS, 'configuration_update']);

/** Whether an item says nothing, and sets something for all that follows: the tools, or how hard to think. */
export function isSetting(item: Item): boolean {
  return SETTINGS.has(stringField(item, 'type') ?? '');
}

/** The tools that a history gives the model in items of its own. */
export function additionalTools(history: readonly Item[]): Item[] {
  return history.filter(isTools).flatMap(({ tools }) => objectsIn(tools));
}

/**
 * The context with the tools that the history begins with, and without those that it does not give: Codex
 * writes all of its tools into the first item of each request, as others into a field beside the history.
 */
export function withToolsAsTold(history: readonly Item[], context: readonly Item[]): Item[] {
  const end = history.findIndex((item) => !isTools(item));
  const first = end === -1 ? [...history] : history.slice(0, end);
  const later = new Set(history.slice(first.length).filter(isTools).map(given));
  return [...first, ...context.filter((item) => !isTools(item) || later.has(given(item)))];
}

function isTools({ type }: Item): boolean {
  return type === ADDITIONAL_TOOLS;
}

function given({ tools = null }: Item): string {
  return canonicalJson(tools);
}
