import { calledCommand, typedCommand } from '../items/called-command.ts';
import type { Message, ToolCall, ToolResult, Utterance } from '../items/item.ts';
import { utterancesOf } from '../items/speaker.ts';
import { isJsonObject } from '../json.ts';
import { parseInside } from '../json-text.ts';
import type { FileAction } from './action.ts';
import { type Block, wholeText } from './known-text.ts';
import { numberedBlocks } from './numbered-lines.ts';

/** What the agent's program says of files in a message: that one was changed, or read for the user. */
type Told =
  | { kind: 'action'; action: FileAction }
  | { kind: 'read'; call: ToolCall; result: ToolResult };

/** Texts without any of these are not looked at. */
const SIGNS =
  /was modified, either by the user or by a linter|tool with the following input: \{|a change made outside this conversation|was changed outside this conversation|^# Recently Modified Files$|^Base directory for this skill: /m;
/** Claude Code's note, to the lines that it shows; without them when they would be too many. */
const MODIFIED =
  /^Note: ([^\n]{1,4096}?) was modified, either by the user or by a linter\.[^\n]*(?:\n([\s\S]*))?$/;
/** The same, as imports of Claude Code's sessions write it. */
const IMPORTED =
  /^(?:Lines of ([^\n]{1,4096}) after a change made outside this conversation:\n([\s\S]*)|([^\n]{1,4096}) was changed outside this conversation\.)$/;
const CALLED =
  /^Called the (\w{1,60}) tool with the following input: (\{[^\n]*\})(?:\n([\s\S]*))?$/;
const RESULT = /^Result of calling the \w{1,60} tool:\s?/;
/** What opencode shows of a file without saying so first. */
const SHOWN = /^<(?:file|path|content)>/;
const RECENT =
  /^# Recently Modified Files\n\s{0,4}These files have been modified since you last accessed them[^\n]*:\n((?:[^\n#][^\n]*(?:\n|$))*)/m;
/** A skill that Claude Code has loaded: the file's text without its head, and what the user typed behind its name. */
const SKILL =
  /^Base directory for this skill: ((?:[~/]|[A-Za-z]:[\\/])[^\n]{0,500})\n\n(?=\s{0,10}\S)([\s\S]*)$/;
/** It is followed as it was loaded, whatever becomes of the file, which begins with a head of its own. */
const LOADED_SKILL = 'SKILL.md, as loaded';
/** The same of a command that the user has called, which is told without the file that it comes from. */
const LOADED_COMMAND = ', command as loaded';
const ARGUMENTS = /\n\nARGUMENTS: [^\n]*(?:\n\s*)?$/;
const CLOSING = '</system-reminder>';
const BY = 'a change by the user or a linter';
/** More files than any such list names. */
const MOST_FILES = 200;

/**
 * What programs tell of files besides calls: Claude Code of changes made outside, Claude Code and
 * opencode of files that the user has named with `@`, Claude Code of skills and commands that were loaded,
 * Cline and Roo Code of files that have changed since. Only what the program says counts: the user may
 * quote such words. `before`: the message in front of it, which may end with what was called.
 */
export function toldIn(message: Message, before: Message | null = null): Told[] {
  const told: Told[] = [];
  let called = before === null ? null : toolCalledLast(before);
  let utterances: Utterance[][] | null = null;
  let next = before === null ? null : commandCalledLast(before);
  for (const [index, part] of message.parts.entries()) {
    if (part.kind === 'tool_result') told.push(...toldAfter(part));
    if (part.kind !== 'text') continue;
    const of = next;
    next = calledCommand(part.text);
    if (called === null && of === null && !SIGNS.test(part.text)) continue;
    utterances ??= utterancesOf(message);
    if (of !== null && isLoaded(part.text, utterances[index] ?? [])) {
      told.push(loaded(`${of}${LOADED_COMMAND}`, part.text));
      continue;
    }
    for (const { speaker, text } of utterances[index] ?? []) {
      const said = withoutTags(text);
      const answer = called === null ? null : answerIn(said);
      if (called !== null && answer !== null) told.push(...readBy(called, answer));
      called = null;
      if (speaker !== 'program' && speaker !== 'tool') continue;
      const call = CALLED.exec(said);
      if (call === null) {
        told.push(...changesIn(said, message.is_meta));
        continue;
      }
      const [, name = '', input = '', rest = ''] = call;
      const own = answerIn(rest);
      if (own === null) called = { name, input };
      else told.push(...readBy({ name, input }, own));
    }
  }
  return told;
}

/** The command that a message calls last, whose text the next one holds. */
function commandCalledLast({ role, parts }: Message): string | null {
  const last = parts.at(-1);
  if (role !== 'user' || last?.kind !== 'text') return null;
  return calledCommand(last.text) ?? (parts.length === 1 ? typedCommand(last.text) : null);
}

type CalledTool = { name: string; input: string };

/** The tool that was called for the user at the end of a message, in a reminder of its own. */
function toolCalledLast({ role, parts }: Message): CalledTool | null {
  const last = parts.at(-1);
  if (role !== 'user' || last?.kind !== 'text' || !/^\s{0,9}<system-reminder>/.test(last.text)) {
    return null;
  }
  const [, name = '', input = '', rest] = CALLED.exec(withoutTags(last.text.trim())) ?? [];
  return name === '' || rest !== undefined ? null : { name, input };
}

/** Whether it is the text of a command: a skill says where it stands, output is in tags, a notice in brackets. */
function isLoaded(text: string, said: readonly Utterance[]): boolean {
  if (said.length === 0 || /^\s{0,100}[<[]/.test(text) || SKILL.test(text.trim())) return false;
  return said.every(({ speaker }) => speaker === 'program');
}

function loaded(path: string, text: string): Told {
  const seen = wholeText(text.replace(ARGUMENTS, ''));
  return { kind: 'action', action: { kind: 'seen', path, text: seen } };
}

/** Whether what is known under this path is a skill, or a command, that the agent's program has loaded. */
export function isLoadedSkill(path: string): boolean {
  return path.endsWith(`/${LOADED_SKILL}`) || isLoadedCommand(path);
}

/** Whether it is a command: the next one takes its place. */
export function isLoadedCommand(path: string): boolean {
  return path.endsWith(LOADED_COMMAND);
}

function withoutTags(text: string): string {
  const said = text.replace(/^<system-reminder>\s*/, '');
  const end = said.trimEnd();
  return end.endsWith(CLOSING) ? end.slice(0, -CLOSING.length).trimEnd() : said;
}

function answerIn(said: string): string | null {
  if (SHOWN.test(said)) return said;
  const head = RESULT.exec(said);
  if (head === null) return null;
  const text = said.slice(head[0].length);
  // It is written as JSON: a text in quotes.
  const plain = text.startsWith('"') ? parseInside(`[${text}]`) : undefined;
  const [first] = Array.isArray(plain) ? plain : [];
  return typeof first === 'string' ? first : text;
}

function readBy({ name, input }: CalledTool, text: string): Told[] {
  const given = parseInside(input);
  if (!/^read$/i.test(name) || !isJsonObject(given)) return [];
  // opencode writes the name of its own tool with a capital letter here, too.
  const own = 'filePath' in given ? name.toLowerCase() : name;
  const call: ToolCall = { kind: 'tool_call', id: '', name: own, input: given, source: given };
  const result: ToolResult = {
    kind: 'tool_result',
    call_id: '',
    content: [{ kind: 'text', text }],
    is_error: false,
  };
  return [{ kind: 'read', call, result }];
}

function changesIn(said: string, isMeta: boolean): Told[] {
  const note = MODIFIED.exec(said);
  if (note !== null) return [changed(note[1] ?? '', note[2] ?? '')];
  const imported = isMeta ? IMPORTED.exec(said) : null;
  if (imported !== null) return [changed(imported[1] ?? imported[3] ?? '', imported[2] ?? '')];
  const skill = SKILL.exec(said);
  if (skill !== null) {
    const [, folder = '', text = ''] = skill;
    return [loaded(`${folder.replace(/[\\/]$/, '')}/${LOADED_SKILL}`, text)];
  }
  const recent = RECENT.exec(said)?.[1] ?? '';
  return recent
    .split('\n', MOST_FILES)
    .filter((line) => line.trim() !== '')
    .map((line) => changed(line.trim(), ''));
}

function changed(path: string, snippet: string): Told {
  return {
    kind: 'action',
    action: { kind: 'changed_outside', path, lines: linesIn(snippet), by: BY },
  };
}

/** The lines that a note shows, with their numbers; null when it does not show all that changed. */
function linesIn(snippet: string): Block[] | null {
  if (/truncated|omitted/i.test(snippet.slice(-300).split('\n').at(-1) ?? '')) return null;
  return numberedBlocks(snippet, 'arrow') ?? numberedBlocks(snippet, 'tab');
}

/**
 * A note after what a tool has answered. A command may print such words, too: they tell only that the
 * file may have changed.
 */
function toldAfter({ content }: ToolResult): Told[] {
  return content.flatMap((part): Told[] => {
    if (part.kind !== 'text') return [];
    const start = part.text.lastIndexOf('<system-reminder>\nNote: ');
    if (start === -1 || (start > 0 && part.text[start - 1] !== '\n')) return [];
    const note = MODIFIED.exec(withoutTags(part.text.slice(start)));
    return note === null ? [] : [changed(note[1] ?? '', '')];
  });
}
