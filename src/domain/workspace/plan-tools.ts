import type { ToolCall } from '../items/item.ts';
import { isTodoList, listIn } from '../items/todo-list.ts';
import { type Json, stringField } from '../json.ts';
import { changesTodos, readsTodos } from './sql-todos.ts';
import { inputOf, ownName, toolName, wordsOf } from './tool-input.ts';

/** What a call says of the agent's own todos and plan. */
export type PlanCall =
  /** The lists that a call writes; `isMerged`: what it does not name stays as it was. */
  | { kind: 'written'; todos: Json[] | string | null; plan: string | null; isMerged: boolean }
  | { kind: 'created' }
  | { kind: 'updated' }
  /** Asks for the list, or for one of it: the answer says how they stand, whoever has changed them. */
  | { kind: 'looked_up' }
  /** Changes the list in SQL, or asks for it. */
  | { kind: 'queried'; script: string }
  | { kind: 'exited' };

type Tool = 'todos' | 'plan' | 'create' | 'update' | 'look_up' | 'exit';

/** The tools that agents keep todos and a plan with, by their names without case and dividers. */
const TOOLS: Readonly<Record<string, Tool>> = {
  // Claude Code, opencode, Cursor, Qwen Code, Amp, Factory.
  todowrite: 'todos',
  // Gemini CLI, deepagents.
  writetodos: 'todos',
  writetodo: 'todos',
  // Copilot CLI, Roo Code, VS Code, Kimi, Crush, Continue, OpenHands.
  updatetodo: 'todos',
  updatetodos: 'todos',
  updatetodolist: 'todos',
  managetodolist: 'todos',
  settodolist: 'todos',
  todos: 'todos',
  todolist: 'todos',
  checklist: 'todos',
  tasktracker: 'todos',
  // Codex; Cursor.
  updateplan: 'plan',
  createplan: 'plan',
  taskcreate: 'create',
  taskupdate: 'update',
  tasklist: 'look_up',
  taskget: 'look_up',
  // Nanocoder, which shows all of the list after each change.
  createtask: 'look_up',
  updatetask: 'look_up',
  deletetask: 'look_up',
  listtasks: 'look_up',
  // Mastra, the same.
  taskwrite: 'look_up',
  taskcomplete: 'look_up',
  taskcheck: 'look_up',
  exitplanmode: 'exit',
};
/** Words of which an unknown tool has one in its name when it keeps a list of todos. */
const LIST_WORDS: ReadonlySet<string> = new Set(['todo', 'todos', 'plan', 'checklist']);
/** goose's own extension, which is called as if a server gave it. */
const GOOSE = /^todo__/;

/**
 * What a call says of the agent's todos and plan; null for tools of other purposes. A tool that is not
 * the agent's own, or is not known, counts only when its name says so and what it is given has the whole
 * shape of such a list.
 */
export function planCallOf(call: ToolCall): PlanCall | null {
  const input = inputOf(call);
  if (input.operation === 'read' || input.command === 'view') return null;
  const isOwn = isOwnTool(call);
  const tool = planToolOf(call);
  if (tool === 'create') return { kind: 'created' };
  if (tool === 'update') return { kind: 'updated' };
  if (tool === 'look_up') return { kind: 'looked_up' };
  if (tool === 'exit') return { kind: 'exited' };
  if (isOwn && call.name === 'sql') {
    const script = stringField(input, 'query') ?? '';
    return changesTodos(script) || readsTodos(script) ? { kind: 'queried', script } : null;
  }
  const isMerged = input.merge === true;
  const content = stringField(input, 'content') ?? null;
  const list = listIn(input) ?? (GOOSE.test(call.name) || tool === 'todos' ? content : null);
  if (tool === undefined) {
    const isNamed = wordsOf(call.name).some((word) => LIST_WORDS.has(word));
    if (!isNamed || list === null || !isTodoList(list)) return null;
    return { kind: 'written', todos: list, plan: null, isMerged };
  }
  const words = stringField(input, 'plan') ?? '';
  const plan = tool === 'plan' && list !== words && words.trim() !== '' ? words : null;
  return list === null && plan === null ? null : { kind: 'written', todos: list, plan, isMerged };
}

/** Whether a call hands in all of a list or plan, so that the next such call does the same again. */
export function handsInPlan(call: ToolCall): boolean {
  const input = inputOf(call);
  const { merge, operation, command } = input;
  if (merge === true || operation === 'read' || command === 'view') return false;
  const tool = planToolOf(call);
  if (tool !== 'todos' && tool !== 'plan' && tool !== 'exit') return false;
  // One that has no list, not even a wrong one, says something of a part.
  return planCallOf(call) !== null || Object.values(input).some((value) => Array.isArray(value));
}

function planToolOf(call: ToolCall): Tool | undefined {
  const name = toolName(call);
  return isOwnTool(call) && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
}

function isOwnTool({ name }: ToolCall): boolean {
  return ownName(name) === name || name.startsWith('functions.');
}
