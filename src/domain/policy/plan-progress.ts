import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** The fields in which plan and todo tools list their steps, and the lists that hold them as text. */
const LIST_KEYS = [
  'todos',
  'plan',
  'items',
  'tasks',
  'steps',
  'todo_list',
  'todoList',
  'newTodos',
] as const;

/**
 * The words that programs have for a finished step: Claude Code, Codex, Copilot and Gemini write
 * `completed`. What was cancelled, deleted or blocked was not done, and `incomplete` is open.
 */
const FINISHED: ReadonlySet<string> = new Set(['completed', 'complete', 'done', 'finished']);

/** How many steps of a plan are finished, by the input of the tool or the text of an attachment. */
export function finishedSteps(plan: Json): number {
  if (typeof plan === 'string') return finishedInText(plan);
  const list = listOf(plan);
  if (typeof list === 'string') return finishedInText(list);
  return list.filter(isFinished).length;
}

function listOf(plan: Json): readonly Json[] | string {
  if (Array.isArray(plan)) return plan;
  if (!isJsonObject(plan)) return [];
  const lists = LIST_KEYS.map((key) => plan[key]);
  const list = lists.find((value) => Array.isArray(value));
  if (Array.isArray(list)) return list;
  return lists.find((value) => typeof value === 'string') ?? [];
}

function isFinished(step: Json): boolean {
  if (!isJsonObject(step)) return false;
  const { status, done, completed } = step;
  if (typeof status === 'string') return FINISHED.has(status.trim().toLowerCase());
  return done === true || completed === true;
}

/** Lines such as `- [x] done`, or the same as JSON. */
function finishedInText(text: string): number {
  const json = parsed(text);
  if (json !== null) return finishedSteps(json);
  return text.match(/^[ \t]{0,20}(?:[-*]|\d{1,3}\.)[ \t]{1,4}\[[xX]\][ \t]/gm)?.length ?? 0;
}

function parsed(text: string): Json[] | JsonObject | null {
  if (!/^\s{0,20}[[{]/.test(text)) return null;
  try {
    const json: Json = JSON.parse(text);
    return Array.isArray(json) || isJsonObject(json) ? json : null;
  } catch {
    // Not JSON after all: it is read as lines.
    return null;
  }
}
