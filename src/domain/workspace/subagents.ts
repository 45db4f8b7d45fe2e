import type { ToolCall, ToolResult } from '../items/item.ts';
import { isJsonObject, stringField } from '../json.ts';
import { parseInside } from '../json-text.ts';
import { answerTo } from './result-text.ts';
import { firstString, inputOf, toolName } from './tool-input.ts';

/** Tools that let others work, in Claude Code, opencode, Codex, VS Code, Roo Code, Gemini CLI and Kimi Code. */
const SPAWNING =
  /^(?:task|agent|spawnagent|dispatchagent|runsubagent|subagent|newtask|delegatetoagent|agentswarm)$/;
const KIND_FIELDS = 'subagent_type agent_type agentName agent_name agent mode subagent'.split(' ');
/** Agents that their program gives no tool to change files with. */
const READING_KINDS =
  /^(?:explore|explorer|plan|ask|claudecodeguide|codebaseinvestigator|clihelp)$/;

/** What a task says that is to change nothing, which is no word of what a program must not change. */
const FORBIDS =
  /\b(?:do(?: not|n't)|never|without) (?:writ|edit|modif|chang|mak|creat|touch)\w{0,4}(?:,? (?:or|and) (?:writ|edit|modif|chang|mak|creat)\w{0,4})?(?: (?:any|the|to))?(?: (?:files?|code|changes|edits|anything)){1,2}(?=[.;,!)\n]|$| -)|(?:^|[.!;:(\n*—–] {0,2}|\b(?:read-only,|you(?: must| shall)?) )(?:change|edit|modify|write|touch) nothing(?=[.;,!:)\n*]|$)/i;
const SOME_ALLOWED =
  /\b(?:except|other than|apart from|besides|outside|only (?:edit|change|modify|write))\b/i;

/** Whether a call lets another agent work; `mayWrite`: one that may change files, which the log does not show. */
export function subagentOf(call: ToolCall): { mayWrite: boolean; by: string } | null {
  if (!SPAWNING.test(toolName(call))) return null;
  const input = inputOf(call);
  const task = firstString(input, [
    'prompt',
    'message',
    'task',
    'objective',
    'prompt_template',
    'description',
  ]);
  if (task === undefined) return null;
  const kind = firstString(input, KIND_FIELDS) ?? '';
  const isReading = READING_KINDS.test(kind.toLowerCase().replaceAll(/[^a-z]/g, ''));
  const start = task.slice(0, 20_000);
  const isForbidden = FORBIDS.test(start) && !SOME_ALLOWED.test(start);
  const by = kind === '' ? 'a subagent' : `a subagent (${kind.slice(0, 40)})`;
  return { mayWrite: !isReading && !isForbidden, by };
}

/** What stands in place of a report: where the agent goes on in the background, and how to go on with it. */
const NO_REPORT =
  /^(?:(?:Async|Background) agent launched successfully\.|Agent started in background with agent_id: |task_id: [^\n]{1,200}\nstatus: |(?:Fork started|This call started a fork,?) (?:—|and) that fork is you\.|This is the parent's call, not yours\.|\{)/;
const TO_RESUME =
  /(?:\n|^)(?:agentId: [\w-]{1,80} \([^\n]{0,300}\)(?:\n<usage>[^<]{0,300}<\/usage>)?|resume_hint: [^\n]{0,1000}(?:\nnext_step: [^\n]{0,1000})?)\s*$/;
/** What Kimi Code tells of the agent before its report, and the Copilot CLI of one that it asks for it. */
const OF_KIMI = /^agent_id: [^\n]{1,200}\n(?:[^\n]{1,400}\n){1,6}\n\[summary\]\n/;
const OF_COPILOT = /^Agent (?:is|has|was) [^\n]{1,1000}\n\n\[Turn \d{1,6}\]\n/;

/** What agents that a call has let work, waits for or asks report in its result. */
export function reportedBy(call: ToolCall, result: ToolResult): string[] {
  const name = toolName(call);
  const isAsked = name === 'readagent';
  const isWaitedFor = CODEX_WAITS.test(name);
  if (!isAsked && !isWaitedFor && subagentOf(call) === null) return [];
  const { text, isFailed, isCleared, isUnfinished } = answerTo(null, result);
  if (isFailed || isCleared || isUnfinished || (isAsked && !OF_COPILOT.test(text))) return [];
  if (isWaitedFor) return completedIn(text);
  const told = textIn(text) ?? text;
  const report = told
    .trim()
    .replace(isAsked ? OF_COPILOT : OF_KIMI, '')
    .replace(TO_RESUME, '')
    .trim();
  return report === '' || NO_REPORT.test(report) ? [] : [report];
}

/** Codex hands the reports of its agents over where they are waited for, or closed. */
const CODEX_WAITS = /^(?:wait|waitagent|closeagent)$/;

/** What agents that are done have said, as Codex tells it in JSON, each under its id. */
function completedIn(answer: string): string[] {
  const json = answer.startsWith('{') ? parseInside(answer) : undefined;
  if (!isJsonObject(json)) return [];
  const states = [
    json.previous_status,
    ...(isJsonObject(json.status) ? Object.values(json.status) : []),
  ];
  return states.flatMap((state) => {
    const said = isJsonObject(state) ? stringField(state, 'completed')?.trim() : undefined;
    return said === undefined || said === '' ? [] : [said];
  });
}

/** The report in what Cline answers as JSON; null for other answers. */
function textIn(answer: string): string | null {
  const json = answer.startsWith('{"text":"') ? parseInside(answer) : undefined;
  return isJsonObject(json) && 'finishReason' in json ? (stringField(json, 'text') ?? null) : null;
}
