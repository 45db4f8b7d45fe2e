import type { Attachment, ToolCall, ToolResult } from '../items/item.ts';
import { todosOf } from '../items/todo-list.ts';
import { isJsonObject, type Json, stringField } from '../json.ts';
import { clipEnd, clipMiddle, oneLine } from '../text.ts';
import type { FileAction } from '../workspace/action.ts';
import { isPlanFile, PlanBook } from '../workspace/plan-book.ts';
import type { Moment } from './files.ts';
import type { Plan } from './ledger.ts';

const MOST_TODOS = 200;
const LONGEST_TODO = 300;
const LONGEST_PLAN = 6_000;

/** The newest todos and the newest plan, as a plan book follows them. */
export class Plans {
  private readonly book: PlanBook;
  private plan: Plan | null;

  constructor(plan: Plan | null) {
    this.plan = plan;
    this.book = planBookOf(plan);
  }

  attachment(item: Attachment, moment: Moment): void {
    this.book.attachment(item, moment.at);
    this.note(moment);
  }

  call(call: ToolCall, result: ToolResult, moment: Moment): void {
    this.book.call(call, result, moment.at);
    this.note(moment);
  }

  openCall(call: ToolCall, moment: Moment): void {
    this.book.openCall(call, moment.at);
    this.note(moment);
  }

  /** A file that an agent keeps its plan in, written or edited. */
  file(action: FileAction, seq: number): void {
    const saved = this.plan?.path;
    if (!('path' in action) || !(isPlanFile(action.path) || action.path === saved)) return;
    const before = this.plan?.text ?? '';
    const text = action.kind === 'written' ? action.text : edited(before, action);
    if (text !== before) this.set({ text }, saved, seq);
  }

  /** A plan that the assistant has proposed in words, and the user approved. */
  approve(text: string, seq: number): void {
    this.set({ text }, undefined, seq);
  }

  fact(): Plan | null {
    return this.plan;
  }

  private note({ seq, at }: Moment): void {
    const list = this.book.todos();
    const plan = this.book.plan([]);
    if (list?.at !== at && plan?.at !== at) return;
    const todos = list === null ? null : todosIn(list.content);
    const in_words = list !== null && !Array.isArray(list.content);
    if (plan?.at !== at) this.set({ todos, in_words }, this.plan?.path, seq);
    else this.set({ todos, in_words, text: plan.content }, plan.path ?? undefined, seq);
  }

  private set(
    changes: Partial<Pick<Plan, 'todos' | 'in_words' | 'text'>>,
    path: string | undefined,
    seq: number,
  ): void {
    const known = { seq, todos: null, in_words: false, text: '', ...this.plan, ...changes };
    this.plan = {
      seq: known.seq,
      last_seq: seq,
      todos: known.todos,
      in_words: known.in_words,
      text: clipMiddle(known.text, LONGEST_PLAN),
      ...(path !== undefined && { path }),
    };
  }
}

/** The plan of a file after an edit of it, as far as what it replaces is known. */
function edited(text: string, action: FileAction): string {
  if (action.kind !== 'replaced') return text;
  return action.replacements.reduce((now, { from, to, all }) => {
    if (from === '' || !now.includes(from)) return now;
    return all ? now.split(from).join(to) : now.replace(from, () => to);
  }, text);
}

function todosIn(content: Json): NonNullable<Plan['todos']> {
  const entries = Array.isArray(content) ? content : [content];
  const todos = entries.flatMap((entry) => {
    const id = isJsonObject(entry) ? (stringField(entry, 'id') ?? null) : null;
    return todosOf(Array.isArray(content) ? [entry] : entry).map(({ text, status }) => ({
      text: clipEnd(oneLine(text), LONGEST_TODO),
      status,
      ...(id !== null && { id }),
    }));
  });
  return todos.slice(0, MOST_TODOS);
}

/** The list as it was stored, in the words that tools write. */
function planBookOf(plan: Plan | null): PlanBook {
  if (plan === null || plan.todos === null) return new PlanBook();
  const words = plan.todos.map(({ text, status }) => `- [${BOXES[status]}] ${text}`).join('\n');
  const entries = plan.todos.map(({ text, status, id }) => ({
    content: text,
    status: status === 'dropped' ? 'cancelled' : status,
    ...(id !== undefined && { id }),
  }));
  const content = plan.in_words ? words : entries;
  return new PlanBook({ content, at: 0, isPosted: false, isWhole: true });
}

const BOXES = { open: ' ', 'in progress': '~', done: 'x', dropped: 'cancelled' } as const;
