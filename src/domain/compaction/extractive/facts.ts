import type { Message, Normalised, Speaker, ToolCall, ToolResult } from '../../items/item.ts';
import { isOfOperator, rewrittenKind } from '../../items/operator.ts';
import { callsByResult, pairedParts } from '../../items/pairing.ts';
import { scriptOf } from '../../items/shell-script.ts';
import { utterancesOf } from '../../items/speaker.ts';
import { type Todo, todosOf } from '../../items/todo-list.ts';
import { userWordsIn } from '../../items/user-words.ts';
import { isJsonObject, type Json } from '../../json.ts';
import { foldWorkspace } from '../../workspace/known-workspace.ts';
import { actionsOfPatch, patchIn } from '../../workspace/patch.ts';
import { isFileName } from '../names.ts';
import { type EarlierSummary, parseEarlier } from './earlier.ts';
import { addEarlierFiles } from './file-points.ts';
import { addCall } from './file-uses.ts';
import { FileTable } from './files.ts';
import { NameRanking } from './ranking.ts';
import { cleaned, clipEnd, firstLine, oneLine } from './text.ts';

/** One text of a user or of the assistant; `index` is the place of its item. */
export type Said = { text: string; index: number };

/** Who else is worth telling about: what programs note for themselves is not. */
export type Other = Extract<Speaker, 'subagent' | 'hook' | 'project_instructions'>;

/** One tool call and what came of it. `subject` is what it was about, in one short line. */
export type CallFact = {
  name: string;
  subject: string;
  index: number;
  outcome: 'ok' | 'failed' | 'open';
  /** The line of the result that says what went wrong; '' for calls that did not fail. */
  error: string;
};

/** All that a summary is made of, in the order of the conversation. */
export type Facts = {
  earlier: EarlierSummary | null;
  user: Said[];
  assistant: Said[];
  /** What others said in messages of the role `user`. */
  others: (Said & { speaker: Other })[];
  calls: CallFact[];
  files: FileTable;
  /** The newest list of todos. */
  todos: Todo[];
  /** The newest plan in words, '' when there is none. */
  plan: string;
  names: NameRanking;
};

/**
 * Reads the covered items once. `previousSummary` counts when no item is flagged as a summary; a text
 * that only reads like one is the earlier summary when there is neither, and else the user's words.
 */
export function gatherFacts(
  items: readonly Normalised[],
  previousSummary: string | undefined,
): Facts {
  const facts: Facts = {
    earlier: null,
    user: [],
    assistant: [],
    others: [],
    calls: [],
    files: new FileTable(),
    todos: [],
    plan: '',
    names: new NameRanking(items.length),
  };
  const hasSummary = (previousSummary ?? '') !== '' || items.some(isFlaggedSummary);
  const calls: CallTable = {
    facts: new Map(),
    answered: callsByResult(pairedParts(items)),
    early: new Map(),
  };
  items.forEach((item, index) => {
    if (item.kind === 'message') readMessage(facts, calls, item, index, hasSummary);
    else if (item.kind === 'attachment') {
      if (item.attachment === 'file' && item.path) {
        // The earlier summary has counted when a restored file was read.
        if (item.is_restored) facts.files.note(item.path);
        else facts.files.add({ path: item.path, use: 'read' }, index);
      }
      facts.names.mention(`${item.path ?? ''}\n${item.text}`, 'tool_output', index);
    }
  });
  const { todos, plan } = foldWorkspace(items, null, (call, actions, index) =>
    addCall(facts.files, call, actions, index),
  );
  facts.todos = todos === null ? [] : todosOf(todos.content);
  facts.plan = plan?.content ?? '';
  if (facts.earlier === null && previousSummary) readEarlier(facts, previousSummary, 0);
  addEarlierFiles(facts.files, facts.earlier?.points.get('files') ?? []);
  return facts;
}

/** What is known of the calls so far; `early` are results that stand before their call. */
type CallTable = {
  facts: Map<ToolCall, CallFact>;
  answered: ReadonlyMap<ToolResult, ToolCall>;
  early: Map<ToolCall, ToolResult>;
};

/** What this service or the client says is a summary: it stands for all before it. */
function isFlaggedSummary(item: Normalised): boolean {
  return item.kind === 'message' && (item.is_compact_summary || item.speaker === 'summary');
}

function readMessage(
  facts: Facts,
  calls: CallTable,
  message: Message,
  index: number,
  hasSummary: boolean,
): void {
  if (message.is_api_error_message || message.is_meta) return;
  // What only reads like a summary may be quoted: it takes the place of no real one.
  const isQuote = hasSummary && !isFlaggedSummary(message);
  // Most stay in the context as they are: only those that do not fit come here.
  const isInstruction = isOfOperator(message) && rewrittenKind(message) === null;
  const utterances = utterancesOf(message);
  for (const [place, part] of message.parts.entries()) {
    switch (part.kind) {
      case 'text':
        for (const { speaker, text } of utterances[place] ?? []) {
          if (isInstruction) readText(facts, 'project_instructions', text, index);
          else if (speaker !== 'summary') readText(facts, speaker, text, index);
          else if (isQuote) readText(facts, 'user', text, index);
          else readEarlier(facts, text, index);
        }
        break;
      case 'tool_call':
        readCall(facts, calls, part, index);
        break;
      case 'tool_result':
        readResult(facts, calls, part, index);
        break;
      case 'image':
      case 'thinking':
      case 'opaque':
        break;
      default:
        part satisfies never;
    }
  }
}

/** A later summary stands for the ones before it. */
function readEarlier(facts: Facts, text: string, index: number): void {
  facts.earlier = parseEarlier(text);
  facts.names.mention(text, 'earlier_summary', index);
}

function readText(
  facts: Facts,
  speaker: Exclude<Speaker, 'summary'>,
  text: string,
  index: number,
): void {
  const said = { text: cleaned(text), index };
  if (said.text === '') return;
  switch (speaker) {
    case 'user':
    case 'assistant':
      facts.names.mention(text, speaker, index);
      facts[speaker].push(said);
      return;
    case 'subagent':
    case 'hook':
    case 'project_instructions':
      facts.names.mention(text, 'tool_output', index);
      facts.others.push({ ...said, speaker });
      return;
    case 'tool':
      facts.names.mention(text, 'tool_output', index);
      return;
    case 'program':
      return;
    default:
      speaker satisfies never;
  }
}

function readCall(facts: Facts, calls: CallTable, call: ToolCall, index: number): void {
  for (const text of stringsOf(call.input)) facts.names.mention(text, 'assistant', index);
  const fact: CallFact = {
    name: clipEnd(oneLine(call.name), 100),
    subject: subjectOf(call),
    index,
    outcome: 'open',
    error: '',
  };
  facts.calls.push(fact);
  calls.facts.set(call, fact);
  const result = calls.early.get(call);
  if (result !== undefined) settle(fact, result);
}

function readResult(facts: Facts, calls: CallTable, result: ToolResult, index: number): void {
  facts.names.mention(resultText(result), 'tool_output', index);
  const call = calls.answered.get(result);
  if (call === undefined) return;
  const words = userWordsIn(call, result);
  if (words !== null) readText(facts, 'user', words, index);
  const fact = calls.facts.get(call);
  if (fact === undefined) calls.early.set(call, result);
  else settle(fact, result);
}

function settle(call: CallFact, result: ToolResult): void {
  const text = resultText(result);
  call.outcome = result.is_error || hasFailingExit(text) ? 'failed' : 'ok';
  if (call.outcome === 'failed') call.error = errorLine(text);
}

function resultText({ content }: ToolResult): string {
  return content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}

/** Formats without an error flag tell a failed command by its exit code, near either end. */
function hasFailingExit(text: string): boolean {
  const ends = text.length > 1_000 ? text.slice(0, 500) + text.slice(-500) : text;
  return /\bexit(?:ed with)?[ _]code\W{1,4}[1-9]/i.test(ends);
}

const TELLS_ERROR = /error|exception|panic|fatal|failed|denied|not found|cannot|no such|invalid/i;

function errorLine(text: string): string {
  const lines = cleaned(text.slice(0, 20_000))
    .replaceAll('"', "'")
    .split('\n')
    .filter((line, _, all) => all.length === 1 || !/^exit code \d{1,5}$/i.test(line));
  const telling = lines.find((line) => TELLS_ERROR.test(line.slice(0, 500)));
  return telling === undefined ? firstLine(lines.join('\n'), 160) : clipEnd(oneLine(telling), 160);
}

const SUBJECT_KEYS = [
  'file_path',
  'path',
  'filename',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'subject',
  'prompt',
  'message',
];

/** What a call is about: the end of its path, or its command or query, in one line. */
function subjectOf(call: ToolCall): string {
  const { input } = call;
  const script = scriptOf(call)?.text;
  const patch = patchIn(typeof input === 'string' ? input : (script ?? ''));
  if (patch !== undefined) return shortPath(firstPathOf(patch));
  if (typeof input === 'string') return firstLine(input, 100);
  if (!isJsonObject(input)) return '';
  if (script !== undefined) return firstLine(cleaned(script.slice(0, 4_000)), 100);
  for (const key of SUBJECT_KEYS) {
    const value = input[key];
    if (typeof value !== 'string' || value === '') continue;
    return isFileName(value) && !/\s|:\/\//.test(value)
      ? shortPath(value)
      : firstLine(cleaned(value), 100);
  }
  return '';
}

/** The file name with the folder that it is in. */
function shortPath(path: string): string {
  return path.split('/').slice(-2).join('/');
}

function firstPathOf(patch: string): string {
  const [first] = actionsOfPatch(patch);
  return first !== undefined && 'path' in first ? first.path : '';
}

/** All strings inside a JSON value, at any depth that a tool input has. */
export function stringsOf(json: Json): string[] {
  const strings: string[] = [];
  const pending: Json[] = [json];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') strings.push(next);
    else if (typeof next === 'object' && next !== null) {
      for (const value of Object.values(next).reverse()) pending.push(value);
    }
  }
  return strings;
}
