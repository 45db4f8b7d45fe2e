import type { Item } from '../item.ts';
import { answeredCallId, callsOf } from './calls.ts';

/**
 * The context with the names of their tools on all results, where the client names its own: Gemini, and
 * the templates of models such as Gemma, refuse results without. What stands in for one that is missing
 * has none.
 */
export function withResultNamesAsTold(
  history: readonly Item[],
  context: readonly Item[],
): readonly Item[] {
  if (!history.some((message) => message.role === 'tool' && isNamed(message))) return context;
  /** Of the calls so far, by their ids: a later call may have the id of an earlier one. */
  const names = new Map<string, string>();
  return context.map((message) => {
    for (const { id, name } of callsOf(message)) names.set(id, name);
    if (message.role !== 'tool' || isNamed(message)) return message;
    const name = names.get(answeredCallId(message) ?? '');
    return name === undefined ? message : { ...message, name };
  });
}

function isNamed({ name }: Item): boolean {
  return typeof name === 'string' && name !== '';
}
