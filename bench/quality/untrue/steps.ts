import { isJsonObject, type Json, type JsonObject, stringField } from '../../../src/domain/json.ts';
import type { Conversation } from '../conversation.ts';
import { normalised } from '../words.ts';
import { type Log, type Statement, tellingStart, type Untrue } from './statement.ts';

const NEXT =
  /\bnext\b|\bpending\b|\bremain|\bto ?-?dos?\b|\bopen (?:tasks|points|items|steps)\b|\bintention\b|\bin progress\b|\bstill to\b/i;
const DONE = /\b(?:done|completed?|finished|dropped|cancelled|deleted)\b|\[x\]|✓|✔|✅/i;
/** Calls after an announcement from which on it was carried out or given up. */
const CALLS_AFTER = 5;
/** A longer text is a plan or a report, and no step. */
const LONGEST_STEP = 300;

/** What is shown as next or open although the log says that it was done. */
export function wrongSteps(statements: readonly Statement[], log: Log): Untrue[] {
  const todos = todosOf(log.conversation);
  return statements.flatMap((statement): Untrue[] => {
    const { heading, label, rest, text, is_entry } = statement;
    // A label says more than the heading above it.
    const says = label === '' ? heading : label;
    const isNext = NEXT.test(says) || (NEXT.test(heading) && !DONE.test(says));
    const start = tellingStart(rest, 40, 10);
    if (!isNext || DONE.test(label) || start === '' || /^plan\b/i.test(label)) return [];
    const todo = todos.find((one) => one.text.startsWith(start) || start.startsWith(one.text));
    if (todo !== undefined) {
      return todo.is_done
        ? [{ lie: 'done_as_next', text, why: 'the list of todos has it as done' }]
        : [];
    }
    if (!is_entry || rest.length > LONGEST_STEP) return [];
    const after = callsAfterAnnounced(start, log.conversation);
    return after === null || after < CALLS_AFTER
      ? []
      : [
          {
            lie: 'done_as_next',
            text,
            why: `${after} calls and other words came after it was announced`,
          },
        ];
  });
}

/** How many calls with results came after the assistant said so last; null when it did not, or said nothing since. */
function callsAfterAnnounced(start: string, { passages, calls }: Conversation): number | null {
  const own = passages.filter(({ voice, is_call }) => voice === 'assistant' && is_call !== true);
  const said = own.findLast(({ text }) => normalised(text).includes(start));
  if (said === undefined) return null;
  const isSpoken = own.some(({ item, text }) => item > said.item && text.length > 20);
  if (!isSpoken) return null;
  return calls.filter(({ item, result }) => item > said.item && result !== null).length;
}

type Todo = { text: string; is_done: boolean };

/** The newest state of every todo of the newest list, and of tasks that are kept one by one. */
function todosOf({ calls }: Conversation): Todo[] {
  let list: Todo[] = [];
  const tasks: Todo[] = [];
  for (const { name, input } of calls) {
    if (!isJsonObject(input)) continue;
    const entries = [input.todos, input.plan].find((one): one is Json[] => Array.isArray(one));
    if (entries !== undefined) list = entries.filter(isJsonObject).map(todoOf);
    if (name === 'TaskCreate') tasks.push(todoOf({ ...input, content: input.subject ?? '' }));
    const task = name === 'TaskUpdate' ? tasks[Number(input.taskId) - 1] : undefined;
    if (task !== undefined) task.is_done = isDone(input);
  }
  return [...list, ...tasks].filter(({ text }) => text !== '');
}

function todoOf(entry: JsonObject): Todo {
  const text = stringField(entry, 'content') ?? stringField(entry, 'step') ?? '';
  return { text: normalised(text).slice(0, 40).trim(), is_done: isDone(entry) };
}

function isDone({ status }: JsonObject): boolean {
  return (
    status === 'completed' || status === 'done' || status === 'cancelled' || status === 'deleted'
  );
}
