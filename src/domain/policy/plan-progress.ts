import { todosOf } from '../items/todo-list.ts';
import type { Json } from '../json.ts';

/** How many steps of a plan are finished, by the input of the tool or the text of an attachment. */
export function finishedSteps(plan: Json): number {
  return todosOf(plan).filter(({ status }) => status === 'done').length;
}
