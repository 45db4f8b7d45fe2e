import type { Message, Normalised, ToolCall, ToolResult } from '../../items/item.ts';
import { isJsonObject, type Json } from '../../json.ts';
import { isFileName } from '../names.ts';
import { type EarlierSummary, parseEarlier } from './earlier.ts';
import { addEarlierFiles } from './file-points.ts';
import { commandOf, FileTable, filesOfCall } from './files.ts';
import { NameRanking } from './ranking.ts';
import { cleaned, clipEnd, firstLine, oneLine } from './text.ts';
import { TodoBoard } from './todos.ts';

/** One text of a user or of the assistant; `index` is the place of its item. */
export type Said = { text: string; index: number };

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
  calls: CallFact[];
  files: FileTable;
  todos: TodoBoard;
  names: NameRanking;
};

/** Reads the covered items once. `previousSummary` counts when no item is flagged as a summary. */
export function gatherFacts(
  items: readonly Normalised[],
  previousSummary: string | undefined,
): Facts {
  const facts: Facts = {
    earlier: null,
    user: [],
    assistant: [],
    calls: [],
    files: new FileTable(),
    todos: new TodoBoard(),
    names: new NameRanking(items.length),
  };
  const open = new Map<string, CallFact>();
  items.forEach((item, index) => {
    if (item.kind === 'message') readMessage(facts, open, item, index);
    else if (item.kind === 'attachment') {
      if (item.attachment === 'file' && item.path) {
        facts.files.add({ path: item.path, use: 'read' }, index);
      }
      facts.todos.attachment(item);
      facts.names.mention(`${item.path ?? ''}\n${item.text}`, 'tool_output', index);
    }
  });
  if (facts.earlier === null && previousSummary) readEarlier(facts, previousSummary, 0);
  addEarlierFiles(facts.files, facts.earlier?.points.get('files') ?? []);
  return facts;
}

function readMessage(
  facts: Facts,
  open: Map<string, CallFact>,
  message: Message,
  index: number,
): void {
  if (message.is_api_error_message || message.is_meta) return;
  for (const part of message.parts) {
    switch (part.kind) {
      case 'text':
        if (message.is_compact_summary) readEarlier(facts, part.text, index);
        else readText(facts, message, part.text, index);
        break;
      case 'tool_call':
        open.set(part.id, readCall(facts, part, index));
        break;
      case 'tool_result':
        readResult(facts, open.get(part.call_id), part, index);
        open.delete(part.call_id);
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

/**
 * A user message that is nothing but a note in brackets, or one block in a tag of several words
 * (`<environment_context>`), was written by the agent's program.
 */
function isProgramNote(text: string): boolean {
  if (/^\[[^\]\n]{1,80}\]$/.test(text)) return true;
  const tag = /^<([a-z]{1,30}(?:[_-][a-z]{1,30}){1,4})>/.exec(text)?.[1];
  return tag !== undefined && text.endsWith(`</${tag}>`);
}

function readText(facts: Facts, message: Message, text: string, index: number): void {
  const said = { text: cleaned(text), index };
  if (said.text === '' || message.role === 'system') return;
  if (message.role === 'user' && isProgramNote(said.text)) return;
  facts.names.mention(text, message.role, index);
  (message.role === 'user' ? facts.user : facts.assistant).push(said);
}

function readCall(facts: Facts, call: ToolCall, index: number): CallFact {
  for (const text of stringsOf(call.input)) facts.names.mention(text, 'assistant', index);
  for (const mention of filesOfCall(call)) facts.files.add(mention, index);
  facts.todos.call(call);
  const fact: CallFact = {
    name: clipEnd(oneLine(call.name), 100),
    subject: subjectOf(call),
    index,
    outcome: 'open',
    error: '',
  };
  facts.calls.push(fact);
  return fact;
}

function readResult(
  facts: Facts,
  call: CallFact | undefined,
  result: ToolResult,
  index: number,
): void {
  const text = result.content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  facts.names.mention(text, 'tool_output', index);
  facts.todos.result(result.call_id, text);
  if (call === undefined) return;
  call.outcome = result.is_error || hasFailingExit(text) ? 'failed' : 'ok';
  if (call.outcome === 'failed') call.error = errorLine(text);
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
  if (typeof call.input === 'string')
    return shortPath(filesOfCall(call)[0]?.path) ?? firstLine(call.input, 100);
  if (!isJsonObject(call.input)) return '';
  const command = commandOf(call.input);
  if (command !== undefined) return firstLine(cleaned(command.slice(0, 4_000)), 100);
  for (const key of SUBJECT_KEYS) {
    const value = call.input[key];
    if (typeof value !== 'string' || value === '') continue;
    return isFileName(value) && !/\s|:\/\//.test(value)
      ? shortPath(value)
      : firstLine(cleaned(value), 100);
  }
  return '';
}

/** The file name with the folder that it is in. */
function shortPath<Path extends string | undefined>(path: Path): Path | string {
  return path === undefined ? path : path.split('/').slice(-2).join('/');
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
