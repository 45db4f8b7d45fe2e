import type { Attachment, ToolCall, ToolResult } from '../items/item.ts';
import { entriesIn, listIn } from '../items/todo-list.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import type { FileAction } from './action.ts';
import type { KnownFile } from './file-book.ts';
import { textWhenWhole } from './known-text.ts';
import { answerOf } from './result-text.ts';
import { firstString, inputOf, toolName } from './tool-input.ts';

/**
 * The newest list of todos. `content` is an array of the todos as their tool wrote them, or a text.
 * `isPosted`: it stands in an attachment, at `at`. `isWhole`: no todo can be missing.
 */
export type KnownTodos = { content: Json; at: number; isPosted: boolean; isWhole: boolean };
/** The newest plan, with the file that it stands in where there is one. */
export type KnownPlan = { content: string; path: string | null; at: number; isPosted: boolean };

const PLAN_FILE =
  /(?:^|\/)\.(?:claude|codex|copilot|cursor|gemini)\/(?:[^/]+\/)*(?:plans\/[^/]+|plan)\.md$/;

/** No system has longer paths; the expression takes quadratic time. */
const LONGEST_PATH = 4_096;
/** Tasks of a list that is followed one change at a time: every change costs as much as the list is long. */
const MOST_TASKS = 500;

/** Whether a file is one that agents keep their plan in. */
function isPlanFile(path: string): boolean {
  return path.length <= LONGEST_PATH && PLAN_FILE.test(path);
}

/** The todos and the plan, kept up to date with what calls and attachments say of them. */
export class PlanBook {
  private list: KnownTodos | null = null;
  private newestPlan: KnownPlan | null = null;
  private readonly touched = new Map<string, number>();

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
    const answer = answerOf(result);
    const name = toolName(call);
    if (name === 'exitplanmode') this.exitPlan(call, answer.text, answer.isFailed, at);
    else if (answer.isFailed) return;
    else if (name === 'taskcreate') this.create(inputOf(call), answer.text, at);
    else if (name === 'taskupdate') this.update(inputOf(call), at);
    else if (/todo|plan/.test(name)) this.replace(inputOf(call), at);
  }

  /** Lists are written by the call itself: its answer only says so. */
  openCall(call: ToolCall, at: number): void {
    if (/todo|updateplan/.test(toolName(call))) this.replace(inputOf(call), at);
  }

  /** A file that an agent keeps its plan in, written or changed. */
  file(action: FileAction, at: number): void {
    switch (action.kind) {
      case 'written':
      case 'replaced':
      case 'inserted':
      case 'appended':
      case 'patched':
        if (isPlanFile(action.path)) this.touched.set(action.path, at);
        return;
      default:
    }
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
    const path = /saved to: (\/[^\n]{1,4096}\.md)/.exec(answer)?.[1] ?? null;
    this.newestPlan = { content, path, at, isPosted: false };
  }

  private replace(input: JsonObject, at: number): void {
    if (input.operation === 'read') return;
    const content = listIn(input);
    if (content !== null) this.list = { content, at, isPosted: false, isWhole: true };
    const plan = stringField(input, 'plan');
    if (content === null && plan !== undefined && plan.trim() !== '') {
      this.newestPlan = { content: plan, path: null, at, isPosted: false };
    }
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
    if (list !== null && todos.length >= MOST_TASKS) {
      this.list = { ...list, isWhole: false };
      return;
    }
    this.list = { content: [...todos, todo], at, isPosted: false, isWhole: list?.isWhole ?? false };
  }

  private update(input: JsonObject, at: number): void {
    const { list } = this;
    const id = firstString(input, ['taskId', 'task_id', 'id']) ?? String(input.taskId ?? '');
    if (list === null || !Array.isArray(list.content) || id === '') return;
    if (list.content.length > MOST_TASKS) {
      this.list = { ...list, isWhole: false };
      return;
    }
    const status = stringField(input, 'status');
    const subject = stringField(input, 'subject');
    const content = list.content.flatMap((todo): Json[] => {
      if (!isJsonObject(todo) || String(todo.id ?? '') !== id) return [todo];
      if (status === 'deleted') return [];
      const title = 'subject' in todo ? 'subject' : 'content';
      const changed = { ...(status && { status }), ...(subject && { [title]: subject }) };
      return [{ ...todo, ...changed }];
    });
    this.list = { ...list, content, at, isPosted: false };
  }
}
