import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import { parseInside } from '../json-text.ts';

type TodoStatus = 'open' | 'in progress' | 'done' | 'dropped';
type Todo = { text: string; status: TodoStatus };

/** The fields in which plan and todo tools list their steps. */
const LIST_FIELDS = [
  'todos',
  'plan',
  'items',
  'tasks',
  'steps',
  'todo_list',
  'todoList',
  'newTodos',
  'task_list',
  'checklist',
] as const;
const TEXT_FIELDS = ['content', 'step', 'text', 'title', 'subject', 'description', 'task'];

/** Lines of a list in words that are looked at. */
const MOST_LINES = 10_000;
/** A line after a bullet or a number. */
const BULLET = /^\s{0,20}(?:[-*]|\d{1,3}[.)])\s{1,4}(?=\S)/;
/** The box in front of a step, with a sign or a word for its state; Roo Code writes boxes alone. */
const BOX = /^\s{0,20}\[([ xX~✓✔-]|[A-Za-z][A-Za-z _-]{2,13})\]\s{1,4}(?=\S)/;

/**
 * The words that programs have for the state of a step: Claude Code, Codex, Copilot and Gemini write
 * `completed`. What was cancelled or deleted was not done; `incomplete` and `blocked` are open.
 */
const DONE: ReadonlySet<string> = new Set(['completed', 'complete', 'done', 'finished']);
const IN_PROGRESS: ReadonlySet<string> = new Set([
  'in progress',
  'inprogress',
  'active',
  'doing',
  'started',
]);
const OPEN: ReadonlySet<string> = new Set([
  'pending',
  'todo',
  'to do',
  'open',
  'not started',
  'blocked',
  'incomplete',
]);
const DROPPED: ReadonlySet<string> = new Set(['cancelled', 'canceled', 'deleted', 'skipped']);

/**
 * The list in the input of a plan or todo tool: its entries, or a text such as `- [x] done`; null
 * when it holds none. A `plan` in words is a list only when its lines have boxes to tick.
 */
export function listIn(input: JsonObject): Json[] | string | null {
  let text: string | null = null;
  for (const field of LIST_FIELDS) {
    const value = input[field];
    const list = typeof value === 'string' ? entriesIn(value) : value;
    if (Array.isArray(list)) return list;
    if (typeof value === 'string' && (field !== 'plan' || hasBoxes(value))) text ??= value;
  }
  return text;
}

/** The entries of a list that was written down as JSON; null for other texts. */
export function entriesIn(text: string): Json[] | null {
  const json = /^\s{0,20}\[/.test(text) ? parseInside(text) : undefined;
  return Array.isArray(json) ? json : null;
}

/** The todos of a list as a tool or a client wrote it: entries, an object with a list, or lines. */
export function todosOf(list: Json): Todo[] {
  if (Array.isArray(list)) return list.flatMap((entry) => todoOf(entry) ?? []);
  if (isJsonObject(list)) {
    const inside = listIn(list);
    return inside === null ? [] : todosOf(inside);
  }
  if (typeof list !== 'string') return [];
  const json = /^\s{0,20}[[{]/.test(list) ? parseInside(list) : undefined;
  return Array.isArray(json) || isJsonObject(json) ? todosOf(json) : todosOfLines(list);
}

function todoOf(entry: Json): Todo | null {
  if (typeof entry === 'string') return { text: entry, status: 'open' };
  if (!isJsonObject(entry)) return null;
  const field = TEXT_FIELDS.find((candidate) => typeof entry[candidate] === 'string');
  const text = field === undefined ? '' : (stringField(entry, field) ?? '');
  return text.trim() === '' ? null : { text, status: statusOf(entry) };
}

/** Whether a list has the shape of an agent's todos: steps in words, each with the state it is in. */
export function isTodoList(list: Json[] | string): boolean {
  if (typeof list === 'string') return hasBoxes(list);
  return (
    list.length > 0 &&
    list.every((entry) => {
      if (!isJsonObject(entry) || todoOf(entry) === null) return false;
      return statusIn(wordOf(entry.status)) !== null;
    })
  );
}

function wordOf(status: Json | undefined): string {
  return typeof status === 'string' ? status.trim().toLowerCase().replaceAll(/[_-]/g, ' ') : '';
}

function statusOf({ status, done, completed }: JsonObject): TodoStatus {
  if (typeof status !== 'string') return done === true || completed === true ? 'done' : 'open';
  return statusIn(wordOf(status)) ?? 'open';
}

/** The state that a word stands for; null for other words. */
function statusIn(word: string): TodoStatus | null {
  if (DONE.has(word)) return 'done';
  if (DROPPED.has(word)) return 'dropped';
  if (IN_PROGRESS.has(word)) return 'in progress';
  return OPEN.has(word) ? 'open' : null;
}

function hasBoxes(text: string): boolean {
  return text.split('\n', MOST_LINES).some((line) => boxOf(line.replace(BULLET, '')) !== null);
}

function todosOfLines(text: string): Todo[] {
  return text.split('\n', MOST_LINES).flatMap((line): Todo[] => {
    const step = line.replace(BULLET, '');
    const box = boxOf(step);
    if (box !== null) return [box];
    return step === line ? [] : [{ text: step, status: 'open' }];
  });
}

/** The step behind a box; null where none stands that says a state. */
function boxOf(step: string): Todo | null {
  const match = BOX.exec(step);
  if (match === null) return null;
  const [box, mark = ''] = match;
  const status = statusOfMark(mark);
  return status === null ? null : { text: step.slice(box.length), status };
}

function statusOfMark(mark: string): TodoStatus | null {
  if (mark.length > 1) return statusIn(wordOf(mark));
  if (mark === ' ') return 'open';
  return mark === '~' || mark === '-' ? 'in progress' : 'done';
}
