import { isJsonObject, type JsonObject } from '../json.ts';
import { parseInside } from '../json-text.ts';

// How tools show the tasks that they keep.

/** Tasks of a list that is followed one change at a time: every change costs as much as the list is long. */
export const MOST_TASKS = 500;

export type ShownTask = { id: string; status: string; content: string };

const LISTED = /^#(\d{1,9}) \[(pending|in_progress|completed)\] (\S.*)$/;
const BLOCKERS = / \[blocked by #[\d#, ]{1,2000}\]$/;

const NANOCODER =
  /^(?:All |Remaining )?Tasks \((\d{1,4}) pending, (\d{1,4}) in progress, (\d{1,4}) completed\):?\n(?:─{50}\n)?/m;
const NANOCODER_TASK = /^ {0,2}([○◐✓]) \[([\w-]{1,40})\] (\S.*)$/;
const SIGNS: Readonly<Record<string, string>> = {
  '○': 'pending',
  '◐': 'in_progress',
  '✓': 'completed',
};

/** The tasks that Nanocoder shows, where it shows all of them. */
function shownByNanocoder(text: string): ShownTask[] | null {
  if (/(?:^No tasks found\. Create one with create_task|^No tasks remaining)\.$/m.test(text))
    return [];
  const head = NANOCODER.exec(text);
  if (head === null) return null;
  const lines = text.slice(head.index + head[0].length).split('\n', MOST_TASKS + 1);
  const tasks = lines.flatMap((line): ShownTask[] => {
    const [, sign = '', id = '', content = ''] = NANOCODER_TASK.exec(line.slice(0, 4_000)) ?? [];
    const status = SIGNS[sign];
    return status === undefined ? [] : [{ id, status, content }];
  });
  const count = head.slice(1).reduce((sum, of) => sum + Number(of), 0);
  return tasks.length === count ? tasks : null;
}

/** Whether a tool of Mastra says what has become of all tasks, or why nothing has. */
export function isOfMastra(answer: string): boolean {
  return answer.startsWith('{"content":"') && answer.includes('"isError":');
}

/** The tasks in what Mastra's tools answer, which is all of them; null where they have changed nothing. */
function shownByMastra(text: string): ShownTask[] | null {
  const json = text.startsWith('{"content":"') ? parseInside(text) : undefined;
  if (!isJsonObject(json) || json.isError !== false) return null;
  if (!Array.isArray(json.tasks) || json.tasks.length > MOST_TASKS) return null;
  const tasks = json.tasks.flatMap((task): ShownTask[] => {
    if (!isJsonObject(task)) return [];
    const { id, status, content } = task;
    const isTask = typeof id === 'string' && typeof status === 'string';
    return isTask && typeof content === 'string' ? [{ id, status, content }] : [];
  });
  return tasks.length === json.tasks.length ? tasks : null;
}

/** The tasks that Claude Code lists, in the order of their numbers; null for other answers. */
export function shownList(answer: string): ShownTask[] | null {
  const text = answer.trim();
  if (text === 'No tasks found') return [];
  const others = shownByNanocoder(text) ?? shownByMastra(text);
  if (others !== null) return others;
  const lines = text.split('\n', MOST_TASKS + 1);
  const tasks = lines.map((line) => {
    const [, id = '', status = '', subject = ''] = LISTED.exec(line.slice(0, 4_000).trim()) ?? [];
    return { id, status, content: subject.replace(BLOCKERS, '') };
  });
  if (tasks.length > MOST_TASKS || tasks.some(({ id }) => id === '')) return null;
  return tasks.sort((one, other) => Number(one.id) - Number(other.id));
}

/** The task that Claude Code shows alone, as a change of it; null for other answers. */
export function shownTask(answer: string): JsonObject | null {
  const [, taskId, status] =
    /^Task #(\d{1,9}): [^\n]{1,2000}\nStatus: (pending|in_progress|completed)(?:\n|$)/.exec(
      answer,
    ) ?? [];
  return taskId === undefined || status === undefined ? null : { taskId, status };
}
