import type { ToolCall, ToolResult } from '../items/item.ts';
import { resultText } from '../items/message-text.ts';
import { ANTIGRAVITY_SAYS } from '../items/speaker-openings.ts';
import { isJsonObject } from '../json.ts';

/** What Antigravity says of a command that it does not wait for; the id stands behind it. */
export const ANTIGRAVITY_LEFT = 'Tool is running as a background task with task id: ';
const TASK_LEFT = new RegExp(String.raw`^${ANTIGRAVITY_LEFT}(\S{1,120})`);

/** The process that a call writes to or waits for, as Codex numbers them; null for other calls. */
export function processOf({ input }: ToolCall): string | null {
  const id = isJsonObject(input) && !('cmd' in input) ? input.session_id : undefined;
  return typeof id === 'number' || typeof id === 'string' ? `process ${id}` : null;
}

/** The process that goes on after a call: of Codex, or a command of Antigravity's. */
export function processLeft(result: ToolResult, script: string | null): string | null {
  const start = resultText(result).slice(0, 500);
  const id =
    /\nProcess running with session ID ([\w.-]{1,60})\n/.exec(start)?.[1] ??
    (script === null ? undefined : TASK_LEFT.exec(start)?.[1]);
  return id === undefined ? null : `process ${id}`;
}

/** How Antigravity tells of a task that has ended: what it has answered stands behind it. */
const TASK_ENDED =
  /\scontent=Task id "([^"\n]{1,120})" (finished|was [a-z]{4,12}) with result:\n([\s\S]*)$/;
const MESSAGE_END = '</SYSTEM_MESSAGE>';
const LOG_LINE = /^Log: file:/;

/**
 * The process that a message of Antigravity's says has ended, and what it has answered, which is null where
 * it was stopped before its end; null for other messages.
 */
export function processEnded(text: string): { process: string; answer: string | null } | null {
  const ended = text.startsWith(ANTIGRAVITY_SAYS) ? TASK_ENDED.exec(text) : null;
  if (ended === null) return null;
  const [, id = '', how, answer = ''] = ended;
  return { process: `process ${id}`, answer: how === 'finished' ? withoutFrame(answer) : null };
}

/** What a task has printed, without the name of its log and the end of the message. */
function withoutFrame(answer: string): string {
  const own = answer.trimEnd();
  const body = own.endsWith(MESSAGE_END) ? own.slice(0, -MESSAGE_END.length).trimEnd() : own;
  const start = body.lastIndexOf('\n') + 1;
  return LOG_LINE.test(body.slice(start)) ? body.slice(0, start).trimEnd() : body;
}

/** Whether a message of Antigravity's says that nothing is left running. */
export function allEnded(text: string): boolean {
  return (
    text.startsWith(ANTIGRAVITY_SAYS) &&
    /\scontent=\[Notice\] All your subagents and background tasks have been stopped\b/.test(text)
  );
}
