import { isJsonObject, type Json, stringField } from '../json.ts';
import { parseInside } from '../json-text.ts';
import { trimEndOf } from '../trim-end.ts';
import type { Normalised, ToolCall, ToolResult } from './item.ts';
import { resultText } from './message-text.ts';
import { callsByResult, pairedParts } from './pairing.ts';
import { providerTools } from './provider-tools.ts';
import { saidBehind, splitReminders } from './reminders.ts';

// What the user says inside the result of a tool: answers to a question, and what to do instead of a
// call that was not let through.

/**
 * Tools that ask the user: Claude Code, opencode, Codex, Copilot and Gemini, Cline, Continue; without
 * case and underscores. In Cline and Roo Code the user goes on in the result of the tool that ends the work.
 */
const ASKING: ReadonlySet<string> = new Set([
  ...[
    'askuserquestion',
    'question',
    'requestuserinput',
    'askuser',
    'askfollowupquestion',
    'askquestion',
  ],
  ...['attemptcompletion', 'planmoderespond'],
]);

/**
 * Sentences of programs before the user's words, and those that may come after them. Claude Code words
 * it otherwise where an answer is none of its options, where the user wants to be asked more, and where
 * nobody has answered in time.
 */
const ANSWERS: readonly RegExp[] = [
  /^(?:User has answered your questions|Your questions have been answered|(?:The user|User) (?:responded|selected(?: option \d{1,3})?|answered|provided custom answer)): ?/,
  /^The user asked for more questions before (?:you proceed\. So far they answered: |answering\. (?=They also wrote: "))/,
  /^No response after \d{1,9}s — [^\n]{0,300}\nBefore going idle the user had selected: /,
];
const AFTER_ANSWERS =
  /(?:You can now continue with (?:the user's|these) answers in mind|Read the answers carefully — they may request [^\n]{0,200}|Call AskUserQuestion again (?:with follow-up|now with further) questions [^\n]{0,200}?)\.?$/;
const REFUSALS: readonly RegExp[] = [
  /^(?:The user doesn't want to (?:proceed with this tool use|take this action right now)|Permission for this tool use was denied)\.[^\n]{0,300}?(?:the user said|the user provided the following reason for the rejection):\s*/i,
  /^(?:Error: )?The user rejected (?:permission to use this specific|this) tool call with the following feedback:\s*/i,
  /^The user rejected this tool call\. User feedback:\s*/,
  // Antigravity, behind all of a command.
  /^Encountered error in step execution: user denied permission for [\s\S]{1,20000}?\. The following instruction was provided by the user as an alternative:\s*/,
];
/** The AI SDK, which marks it as failed: a tool may have fetched a text that begins so. */
const DENIED = /^Tool call execution denied: /;
/**
 * What Claude Code says for a user who would rather talk about its questions first: only what was
 * answered already is the user's.
 */
const CLARIFIES = /^The user wants to clarify these questions\.\n/;
const CLARIFIED =
  /^- "([^\n]*)"\n {2}(?:Answer: ([^\n]*)|\(No answer provided\))(?:\n {2}User notes: ([^\n]*))?/gm;

const AFTER_REFUSAL = /\n\nNote: The user's next message may contain a correction[^\n]*$/;
/** Cline and Roo Code wrap what the user writes; the sentence before it names what was done. */
const FEEDBACK =
  /^(?:The user (?:denied|approved|has provided|provided)\b[^\n]{0,300}|\[[^\]\n]{1,600}\] Result:)\s*<feedback>([\s\S]*?)<\/feedback>/;
/** Tools of Roo Code that change or run something, and have no JSON of others to show. */
const OF_ROO: ReadonlySet<string> = new Set([
  ...['write_to_file', 'apply_diff', 'search_and_replace', 'search_replace', 'edit_file', 'edit'],
  ...['apply_patch', 'insert_content', 'delete_file', 'execute_command', 'browser_action'],
  ...['new_task', 'switch_mode', 'update_todo_list', 'attempt_completion', 'run_slash_command'],
]);
/** Newer Roo Code says so in a line of JSON; what the call has brought stands below. */
const FEEDBACK_IN_JSON = /^\{"status":"(?:denied|approved|guidance)",[^\n]*\}(?=\s*(?:\n|$))/;
const ANSWER = /^<(answer|user_message)>([\s\S]*?)<\/\1>/;

/** As Cline and Roo Code name their tools; shells and readers of others print what anybody wrote. */
const OF_CLINE =
  /^(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|skill|condense|think|edit|[\w-]{1,64}0mcp0[\w.-]{1,128})$/;

/** The words of the user in and behind the result of a call; null when nothing there is the user's. */
export function userWordsIn(call: ToolCall, result: ToolResult): string | null {
  if (isOfProvider(call)) return null;
  const typed = saidBehind(call, result).filter(({ speaker }) => speaker === 'user');
  const words = [userAnswerIn(call, result) ?? [], typed.map(({ text }) => text)].flat();
  return words.length === 0 ? null : words.join('\n');
}

/** What the user has answered to a call, which is all of its result; null where somebody else has. */
export function userAnswerIn(call: ToolCall, result: ToolResult): string | null {
  const text = splitReminders(resultText(result)).text.trim();
  const words =
    (mayBeRefused(call, result) ? refusalIn(text, result.is_error) : null) ??
    feedbackIn(call, text) ??
    reasonIn(call, text) ??
    answerIn(call, text) ??
    (result.is_error ? null : answerAlone(call, text));
  return words === null || words.trim() === '' ? null : words.trim();
}

/** Nobody but a server answers a call of a tool that the provider runs, however its answer is worded. */
function isOfProvider({ source }: ToolCall): boolean {
  return providerTools(source).length > 0;
}

/**
 * A call that was not let through counts as failed where the format has a sign for that. What a command
 * or a page has said with success may be worded as a refusal by whoever wrote it.
 */
function mayBeRefused({ source }: ToolCall, { is_error }: ToolResult): boolean {
  const type = isJsonObject(source) ? source.type : undefined;
  return is_error || (type !== 'tool_use' && type !== 'tool-call');
}

function refusalIn(text: string, isError: boolean): string | null {
  for (const pattern of isError ? [...REFUSALS, DENIED] : REFUSALS) {
    const opening = pattern.exec(text);
    if (opening === null) continue;
    const words = text.slice(opening[0].length).replace(AFTER_REFUSAL, '');
    return CLARIFIES.test(words) ? answeredBefore(words) : words;
  }
  return null;
}

/** As Claude Code writes answers elsewhere; '' where there are none. */
function answeredBefore(words: string): string {
  const given = [...words.matchAll(CLARIFIED)].flatMap(
    ([, question = '', answer = '', note = '']) => {
      const notes = note === '' ? '' : ` user notes: ${note}`;
      return answer === '' && notes === '' ? [] : [`"${question}"="${answer}"${notes}`];
    },
  );
  return given.join(', ');
}

function feedbackIn({ name }: ToolCall, text: string): string | null {
  const line = OF_ROO.has(name) ? FEEDBACK_IN_JSON.exec(text)?.[0] : undefined;
  const json = line === undefined ? undefined : parseInside(line);
  if (isJsonObject(json)) return stringField(json, 'feedback') ?? null;
  return OF_CLINE.test(name) ? (FEEDBACK.exec(text)?.[1] ?? null) : null;
}

/** Why the user has let a server run a tool, or not (Responses API); a tool may have such a name as well. */
function reasonIn({ source }: ToolCall, text: string): string | null {
  if (!isJsonObject(source) || source.type !== 'mcp_approval_request') return null;
  return /^(?:Not a|A)pproved: ([\s\S]+)$/.exec(text)?.[1] ?? null;
}

/** Of `"question"="answer"`, as Claude Code writes them in one line: the answers. */
export function withoutQuestions(words: string): string {
  const parts: string[] = [];
  let from = 0;
  // Where the next question ends, and the next line: each is looked for once, however many quotes there are.
  let end = -1;
  let newline = -1;
  for (const { index } of words.matchAll(/(?<=^|[,.] )"/gm)) {
    if (index < from) continue;
    const first = index + 2;
    if (end < first) end = words.indexOf('"="', first);
    if (end === -1) break;
    if (newline < first) newline = indexOrEnd(words, '\n', index + 1);
    if (newline < end || end - first >= LONGEST_QUESTION) continue;
    parts.push(words.slice(from, index), '\n"');
    from = end + '"="'.length;
  }
  return parts.join('') + words.slice(from);
}

/** Characters of the longest question that is known as one. */
const LONGEST_QUESTION = 2_000;

function indexOrEnd(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at === -1 ? text.length : at;
}

/** Whether a call asks the user something. */
export function asksUser({ name }: ToolCall): boolean {
  return ASKING.has(name.toLowerCase().replaceAll('_', ''));
}

function answerIn(call: ToolCall, text: string): string | null {
  if (!asksUser(call)) return null;
  const [opening] = ANSWERS.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
  if (opening !== undefined) return beforeNote(text.slice(opening.length));
  const answer = ANSWER.exec(text)?.[2];
  if (answer !== undefined) return answer;
  const json = text.startsWith('{') ? parseInside(text) : undefined;
  return isJsonObject(json) && json.answers !== undefined ? answersOf(json.answers) : null;
}

/** How programs begin what they say themselves where nobody has answered, or in another form. */
const NO_ANSWER =
  /^(?:[[{<"]|(?:\w{0,20}error|warning|note|(?:the |this )?(?:user|question|request|tool|operation|command|execution|answer)s?|interactive|no (?:answer|response|reply|input|user|selection|option|one)|not (?:available|supported|answered|allowed|interactive)|nobody|timed|time-?out|cancell?(?:ed|ation)|dismissed|skipped|declined|rejected|denied|aborted|interrupted|waiting|asked|sent|pending|unavailable|unsupported|failed|cannot|could not|unable|validation|invalid|permission)\b)/i;

/** Nanocoder, and agents made with an SDK: their tool gives back what the user has said to one question, and that alone. */
function answerAlone({ name, input }: ToolCall, text: string): string | null {
  const isAsked = isJsonObject(input) && typeof input.question === 'string';
  if (!isAsked || name.toLowerCase().replaceAll('_', '') !== 'askuser') return null;
  return NO_ANSWER.test(text) ? null : text;
}

function beforeNote(text: string): string {
  const note = text.search(AFTER_ANSWERS);
  return note === -1 ? text : trimEndOf(text.slice(0, note), /[.\s]/);
}

/** Answers by the id of their question: texts, lists of texts, or objects with such a list. */
function answersOf(answers: Json): string | null {
  if (!isJsonObject(answers)) return null;
  const lines = Object.entries(answers).map(([id, answer]) => {
    const given = isJsonObject(answer) ? answer.answers : answer;
    const texts = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string');
    return texts.length === 0 ? null : `${id}: ${texts.join('; ')}`;
  });
  return lines.filter((line) => line !== null).join('\n');
}

/** The words of the user in the results of each item that holds any. */
export function userWordsByItem(items: readonly Normalised[]): Map<Normalised, string> {
  const calls = callsByResult(pairedParts(items));
  const found = new Map<Normalised, string>();
  for (const item of items) {
    const parts = item.kind === 'message' ? item.parts : [];
    const words = parts.flatMap((part) => {
      const call = part.kind === 'tool_result' ? calls.get(part) : undefined;
      return part.kind === 'tool_result' && call !== undefined
        ? (userWordsIn(call, part) ?? [])
        : [];
    });
    if (words.length > 0) found.set(item, words.join('\n'));
  }
  return found;
}

/** How Claude Code shows in a terminal what its assistant says and does, and what came of it. */
const SHOWN = /^\s{0,20}[⏺⎿]/u;
/** What is shown goes on below it, further to the right. */
const GOES_ON = /^\s{2}/;

/**
 * A text that the user has pasted from a terminal, without what another session's assistant says, does
 * and is told there: these are not the user's words. What stands in no such block stays.
 */
export function withoutPastedSession(text: string): string {
  if (!text.includes('⏺')) return text;
  let isInside = false;
  const own = text.split('\n').filter((line) => {
    if (line.trim() === '') return true;
    isInside = SHOWN.test(line) || (isInside && GOES_ON.test(line));
    return !isInside;
  });
  return own.join('\n');
}
