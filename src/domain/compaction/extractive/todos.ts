import type { Attachment, ToolCall } from '../../items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../../json.ts';
import { parseInside } from '../../json-text.ts';
import { cleaned, oneLine } from './text.ts';

export type TodoStatus = 'open' | 'in progress' | 'done';
export type Todo = { text: string; status: TodoStatus };

const LIST_KEYS = ['todos', 'plan', 'items', 'tasks', 'steps', 'todo_list', 'newTodos'];
const TEXT_KEYS = ['content', 'step', 'text', 'title', 'subject', 'description', 'task'];

/** The latest state of todos and plan, fed with the calls and attachments in their order. */
export class TodoBoard {
  private list: Todo[] = [];
  private readonly byId = new Map<string, Todo>();
  private readonly created = new Map<string, Todo>();
  /** The latest plan in words, '' when there is none. */
  plan = '';

  call(call: ToolCall): void {
    if (!/todo|plan|task/i.test(call.name)) return;
    const input = isJsonObject(call.input) ? call.input : {};
    if (/task_?create/i.test(call.name)) this.create(call.id, input);
    else if (/task_?update/i.test(call.name)) this.update(input);
    else if (/todo|plan/i.test(call.name)) this.replace(input);
  }

  /** A tool that creates a todo tells its number in the result (`#3`). */
  result(callId: string, text: string): void {
    const todo = this.created.get(callId);
    const id = /#(\d{1,6})/.exec(text)?.[1];
    if (todo !== undefined && id !== undefined) this.byId.set(id, todo);
  }

  attachment(item: Attachment): void {
    if (item.is_empty) return;
    if (item.attachment === 'plan') this.plan = item.text;
    else if (item.attachment === 'todo') this.list = todosOfText(item.text);
  }

  todos(): Todo[] {
    return this.list;
  }

  private create(callId: string, input: JsonObject): void {
    const todo = todoOf(input);
    if (todo === null) return;
    this.list.push(todo);
    this.created.set(callId, todo);
  }

  private update(input: JsonObject): void {
    const id = input.taskId ?? input.task_id ?? input.id;
    const todo = this.byId.get(String(id ?? ''));
    const status = stringField(input, 'status');
    if (todo !== undefined && status !== undefined) todo.status = statusOf(status);
  }

  private replace(input: JsonObject): void {
    const todos = todosOfInput(input);
    if (todos === null) this.plan = stringField(input, 'plan') ?? this.plan;
    else this.list = todos;
  }
}

/** The todos that the input of a plan or todo tool lists; null when it has no list. */
export function todosOfInput(input: JsonObject): Todo[] | null {
  for (const key of LIST_KEYS) {
    const value = input[key];
    if (Array.isArray(value)) return todosOfList(value);
    if (typeof value === 'string' && key !== 'plan') return todosOfText(value);
  }
  return null;
}

function todosOfList(list: readonly Json[]): Todo[] {
  return list.map(todoOf).filter((todo) => todo !== null);
}

function todoOf(entry: Json): Todo | null {
  if (typeof entry === 'string') return { text: oneLine(cleaned(entry)), status: 'open' };
  if (!isJsonObject(entry)) return null;
  const key = TEXT_KEYS.find((candidate) => typeof entry[candidate] === 'string');
  const text = key === undefined ? undefined : stringField(entry, key);
  if (text === undefined || text.trim() === '') return null;
  const isDone = entry.done === true || entry.completed === true;
  return {
    text: oneLine(cleaned(text)),
    status: isDone ? 'done' : statusOf(stringField(entry, 'status') ?? 'pending'),
  };
}

function statusOf(word: string): TodoStatus {
  if (/complete|done|finish|cancel|delete/i.test(word)) return 'done';
  return /progress|active|doing/i.test(word) ? 'in progress' : 'open';
}

/** Todos from JSON, or from lines such as `- [x] done`, `- [ ] open`. */
export function todosOfText(text: string): Todo[] {
  const json = parsed(text);
  if (Array.isArray(json)) return todosOfList(json);
  if (isJsonObject(json)) {
    const list = LIST_KEYS.map((key) => json[key]).find((value) => Array.isArray(value));
    return Array.isArray(list) ? todosOfList(list) : [];
  }
  const todos: Todo[] = [];
  for (const line of text.split('\n', 500)) {
    const match = /^\s{0,20}(?:[-*]|\d{1,3}\.)\s{1,4}(?:\[([ xX~-])\]\s{1,4})?(\S.*)$/.exec(line);
    if (match === null) continue;
    const mark = (match[1] ?? ' ').toLowerCase();
    const status = mark === 'x' ? 'done' : mark === ' ' ? 'open' : 'in progress';
    todos.push({ text: oneLine(cleaned(match[2] ?? '')), status });
  }
  return todos;
}

function parsed(text: string): Json | undefined {
  return /^\s{0,20}[[{]/.test(text) ? parseInside(text) : undefined;
}
