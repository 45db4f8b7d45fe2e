import type { Attachment, ToolCall, ToolResult } from '../items/item.ts';
import { entriesIn, todosOf } from '../items/todo-list.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import { type FileAction, writesText } from './action.ts';
import { answerToCall } from './call-answer.ts';
import type { KnownFile } from './kept-files.ts';
import { textWhenWhole } from './known-text.ts';
import { LONGEST_PATH } from './paths.ts';
import { type PlanCall, planCallOf } from './plan-tools.ts';
import { isOfMastra, MOST_TASKS, type ShownTask, shownList, shownTask } from './shown-tasks.ts';
import { changesTodos, readsTodos, shownTodos, todosAfter } from './sql-todos.ts';
import { firstString, inputOf } from './tool-input.ts';

/**
 * The newest list of todos. `content` is an array of the todos as their tool wrote them, or a text.
 * `isPosted`: it stands in an attachment, at `at`. `isWhole`: no todo can be missing.
 */
export type KnownTodos = { content: Json; at: number; isPosted: boolean; isWhole: boolean };
/** The newest plan, with the file that it stands in where there is one. */
export type KnownPlan = { content: string; path: string | null; at: number; isPosted: boolean };

const PLAN_FILE =
  /(?:^|\/)\.(?:claude|codex|copilot|cursor|gemini)\/(?:[^/]+\/)*(?:plans\/[^/]+|plan)\.md$/;

/** Whether a file is one that agents keep their plan in: the expression takes quadratic time. */
export function isPlanFile(path: string): boolean {
  return path.length <= LONGEST_PATH && PLAN_FILE.test(path);
}

const SAVED = 'saved to: ';

/** The file that Claude Code says it has saved a plan to. */
function planFileIn(answer: string): string | null {
  const start = answer.indexOf(`${SAVED}/`);
  if (start === -1) return null;
  const line = answer.slice(start + SAVED.length).slice(0, LONGEST_PATH);
  const path = /^[^\n]*\.md/.exec(line)?.[0];
  return path ?? null;
}

/** The todos and the plan, kept up to date with what calls and attachments say of them. */
export class PlanBook {
  private list: KnownTodos | null;
  private newestPlan: KnownPlan | null;
  private readonly touched = new Map<string, number>();

  /** Goes on from what is known already. */
  constructor(list: KnownTodos | null = null, plan: KnownPlan | null = null) {
    this.list = list;
    this.newestPlan = plan;
  }

  attachment(item: Attachment, at: number): void {
    if (item.attachment === 'todo') {
      const content = entriesIn(item.text) ?? item.text;
      this.list = { content: item.is_empty ? [] : content, at, isPosted: true, isWhole: true };
    } else if (item.attachment === 'plan') {
      const content = item.is_empty ? '' : item.text;
      this.newestPlan = { content, path: item.path ?? null, at, isPosted: true };
    }
  }

  call(call: ToolCall, result: ToolResult, at: number): void {
    const said = planCallOf(call);
    if (said === null) return;
    const answer = answerToCall(call, result);
    if (said.kind === 'exited') this.exitPlan(call, answer.text, answer.isFailed, at);
    else if (answer.isFailed) return;
    else if (said.kind === 'created') this.create(inputOf(call), answer.text, at);
    else if (said.kind === 'updated' && !isOfMastra(answer.text)) this.update(inputOf(call), at);
    else if (said.kind === 'updated' || said.kind === 'looked_up') this.read(answer.text, at);
    else if (said.kind === 'queried') this.query(said.script, answer.text, at);
    else this.replace(said, at);
  }

  /** Lists are written by the call itself: its answer only says so. */
  openCall(call: ToolCall, at: number): void {
    const said = planCallOf(call);
    if (said?.kind === 'written') this.replace(said, at);
    else if (said?.kind === 'queried') this.query(said.script, '', at);
  }

  /** A file that an agent keeps its plan in, or has saved it to, written or changed. */
  file(action: FileAction, at: number): void {
    if (!writesText(action)) return;
    const isSaved = action.path === this.newestPlan?.path;
    if (isSaved || isPlanFile(action.path)) this.touched.set(action.path, at);
  }

  todos(): KnownTodos | null {
    return this.list;
  }

  /** The plan, from the file that it was written to where that is newer and known as a whole. */
  plan(files: readonly KnownFile[]): KnownPlan | null {
    let newest = this.newestPlan;
    const byPath = new Map(files.map((file) => [file.path, file]));
    for (const [path, at] of this.touched) {
      const file = byPath.get(path);
      const content =
        file === undefined || file.changedBy !== null ? null : textWhenWhole(file.text);
      if (content !== null && (newest === null || at > newest.at)) {
        newest = { content, path, at, isPosted: false };
      }
    }
    return newest;
  }

  private exitPlan(call: ToolCall, answer: string, isFailed: boolean, at: number): void {
    // What the user has not approved is no plan; the one before it is still known.
    if (isFailed || /^The agent proposed a plan that was rejected/.test(answer)) return;
    const told = /\n## Approved Plan[^\n]{0,100}:\n([\s\S]*)$/.exec(answer)?.[1];
    const content = stringField(inputOf(call), 'plan') ?? told;
    if (content === undefined || content.trim() === '') return;
    this.newestPlan = { content, path: planFileIn(answer), at, isPosted: false };
  }

  private replace(
    { todos, plan, isMerged }: Extract<PlanCall, { kind: 'written' }>,
    at: number,
  ): void {
    if (todos !== null && isMerged && Array.isArray(todos)) this.merge(todos, at);
    else if (todos !== null) this.list = { content: todos, at, isPosted: false, isWhole: true };
    if (plan !== null) this.newestPlan = { content: plan, path: null, at, isPosted: false };
  }

  /** The Copilot CLI's list, after a script and as far as its answer shows it. */
  private query(script: string, answer: string, at: number): void {
    const known = Array.isArray(this.list?.content) ? this.list.content : [];
    const content = changesTodos(script) ? todosAfter(script, known) : known;
    const ids = new Set(content.map(idOf));
    // A table tells its texts in one line each: what is known of a todo stays.
    const shown = (readsTodos(script) ? shownTodos(answer) : []).map((todo) =>
      ids.has(idOf(todo)) ? { id: idOf(todo), status: todo.status ?? null } : todo,
    );
    if (this.list === null && content.length + shown.length === 0) return;
    if (!changesTodos(script) && shown.length === 0) return;
    const isFull = this.list !== null && content.length > MOST_TASKS;
    const isWhole = !isFull && (this.list?.isWhole ?? false);
    this.list = { content: isFull ? known : content, at, isPosted: false, isWhole };
    if (shown.length > 0) this.merge(shown, at);
  }

  /** Cursor names only the todos that have changed, by their ids. */
  private merge(changes: readonly Json[], at: number): void {
    const { list } = this;
    const known = Array.isArray(list?.content) ? list.content : [];
    if (list !== null && known.length + changes.length > MOST_TASKS) {
      this.list = { ...list, isWhole: false };
      return;
    }
    const byId = new Map(changes.map((change) => [idOf(change), change]));
    const kept = known.map((todo) => {
      const id = idOf(todo);
      const change = id === null ? undefined : byId.get(id);
      if (!isJsonObject(change) || !isJsonObject(todo)) return todo;
      byId.delete(id);
      return { ...todo, ...change };
    });
    const added = changes.filter(
      (change) => (idOf(change) === null || byId.has(idOf(change))) && todosOf([change]).length > 0,
    );
    const isWhole = list?.isWhole ?? false;
    this.list = { content: [...kept, ...added], at, isPosted: false, isWhole };
  }

  private create(input: JsonObject, answer: string, at: number): void {
    const content = firstString(input, ['subject', 'title', 'description']);
    if (content === undefined) return;
    const id = /#(\d{1,9})\b/.exec(answer)?.[1];
    const active = stringField(input, 'activeForm');
    const todo: JsonObject = {
      ...(id !== undefined && { id }),
      content,
      status: 'pending',
      ...(active !== undefined && { activeForm: active }),
    };
    const { list } = this;
    const todos = Array.isArray(list?.content) ? list.content : [];
    // It stands in a list that a compaction has put back in front of the call.
    if (id !== undefined && todos.some((known) => idOf(known) === id)) return;
    if (list !== null && todos.length >= MOST_TASKS) {
      this.list = { ...list, isWhole: false };
      return;
    }
    this.list = { content: [...todos, todo], at, isPosted: false, isWhole: list?.isWhole ?? false };
  }

  /** The list as its tool shows it: other agents may work on the same one. */
  private read(answer: string, at: number): void {
    const known = Array.isArray(this.list?.content) ? this.list.content : [];
    const shown = shownList(answer);
    if (shown === null) {
      const one = shownTask(answer);
      if (one !== null) this.update(one, at);
    } else if (known.every((todo) => idOf(todo) !== null)) {
      const before = new Map(known.map((todo, place) => [idOf(todo), { todo, place }]));
      const content = shown
        .map((task) => ({ task, before: before.get(task.id) }))
        .sort(
          (one, other) => (one.before?.place ?? MOST_TASKS) - (other.before?.place ?? MOST_TASKS),
        )
        .map(({ task, before: same }) => (same === undefined ? task : told(task, same.todo)));
      this.list = { content, at, isPosted: false, isWhole: true };
    }
  }

  private update(input: JsonObject, at: number): void {
    const { list } = this;
    const id = firstString(input, ['taskId', 'task_id', 'id']) ?? textOfId(input.taskId);
    if (list === null || !Array.isArray(list.content) || id === null || id === '') return;
    if (list.content.length > MOST_TASKS) {
      this.list = { ...list, isWhole: false };
      return;
    }
    const status = stringField(input, 'status');
    const subject = stringField(input, 'subject');
    const content = list.content.flatMap((todo): Json[] => {
      if (!isJsonObject(todo) || idOf(todo) !== id) return [todo];
      if (status === 'deleted') return [];
      const title = 'subject' in todo ? 'subject' : 'content';
      const changed = { ...(status && { status }), ...(subject && { [title]: subject }) };
      return [{ ...todo, ...changed }];
    });
    this.list = { ...list, content, at, isPosted: false };
  }
}

/** A shown task in the words in which it was created: the list adds who works on it. */
function told(task: ShownTask, before: Json): Json {
  if (!isJsonObject(before)) return task;
  const words = firstString(before, ['content', 'subject']);
  const isSame =
    words !== undefined &&
    task.content.startsWith(words) &&
    /^(?: \([^()]{1,200}\))?$/.test(task.content.slice(words.length));
  return isSame ? { ...before, status: task.status } : task;
}

function idOf(todo: Json): string | null {
  return textOfId(isJsonObject(todo) ? todo.id : undefined);
}

/** Null for anything but a word or a number: a list of ids, say, is no id. */
function textOfId(id: Json | undefined): string | null {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}
