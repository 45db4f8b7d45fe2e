import type { Message, Normalised, Part, Speaker, ToolCall, ToolResult } from '../items/item.ts';
import { isSetting } from '../items/openai-responses/settings.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import { speakerOf, utterancesOf } from '../items/speaker.ts';
import { userWordsIn } from '../items/user-words.ts';
import { isJsonObject, type Json } from '../json.ts';

const RECORD = 'conversation-record';
const ENTRY = 'record-entry';
const TURN = 'record-turn';

/** Anything in the content that could be read as one of our delimiters, however it is spelled. */
const DELIMITER = new RegExp(`<(?=[\\s/\\\\]{0,16}(?:${RECORD}|${ENTRY}|${TURN}))`, 'gi');

/** Embedded files: a provider would count, and a summary could repeat, their base64 for nothing. */
const DATA_URL = /data:(image|audio|video|application)\/[\w.+-]{1,80};base64,[\w+/=-]*/g;

/** From this length on, a string of nothing but base64 letters is taken for an embedded file. */
const LONGEST_PLAIN_WORD = 512;

/**
 * Writes a conversation as text for a summariser: one role-labelled entry per text, tool call and
 * tool output, inside one record. Content cannot forge an entry: a `<` that starts one of the
 * delimiters' names becomes `<\`. Tool calls are numbered, and outputs carry the number of their
 * call. Images are `[image]`; thinking, progress, markers and ghost snapshots are left out
 * (SPEC sections 9, 10 and 20).
 */
export function transcriptText(conversation: readonly Normalised[]): string {
  const calls = numberedCalls(conversation);
  return recordText(conversation.flatMap((item) => itemEntries(item, calls)).map(entryText));
}

/** One text, tool call or tool output with its role; nothing in `text` can pass for a delimiter. */
export type TranscriptEntry = { role: string; attributes: Record<string, string>; text: string };

/** The numbers of the calls of a conversation, in their order, and the call of each result. */
type NumberedCalls = {
  numbers: ReadonlyMap<ToolCall, number>;
  answered: ReadonlyMap<ToolResult, ToolCall>;
};

export function numberedCalls(conversation: readonly Normalised[]): NumberedCalls {
  const paired = pairedParts(conversation);
  const calls = paired.flatMap(({ part }) => (part.kind === 'tool_call' ? [part] : []));
  const numbers = new Map(calls.map((call, index) => [call, index + 1]));
  return { numbers, answered: callsByResult(paired) };
}

/** The whole record from its parts, which `entryText` and `turnText` have written. */
export function recordText(parts: readonly string[]): string {
  return [`<${RECORD}>`, ...parts, `</${RECORD}>`].join('\n');
}

/** One turn from its entries; turns are numbered from the first of the conversation. */
export function turnText(number: number, entries: readonly string[]): string {
  return [`<${TURN} number="${number}">`, ...entries, `</${TURN}>`].join('\n');
}

/** The entries of one item of the conversation that `calls` numbers. */
export function itemEntries(item: Normalised, calls: NumberedCalls): TranscriptEntry[] {
  switch (item.kind) {
    case 'message':
      return messageEntries(item, calls);
    case 'attachment':
      if (item.is_empty) return [];
      return [
        entry(
          'attachment',
          { kind: item.attachment, ...(item.path === undefined ? {} : { path: item.path }) },
          item.text,
        ),
      ];
    case 'progress':
    case 'system':
    case 'ghost_snapshot':
      return [];
    default:
      return item satisfies never;
  }
}

function messageEntries(message: Message, calls: NumberedCalls): TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  const main = roleName(speakerOf(message), message);
  let role = main;
  let spoken: string[] = [];
  const endSpoken = () => {
    const text = spoken.join('\n');
    if (text.trim() !== '') entries.push(entry(role, {}, text));
    spoken = [];
  };
  const speak = (speaker: string, text: string) => {
    if (speaker !== role) endSpoken();
    role = speaker;
    spoken.push(text);
  };
  const said = utterancesOf(message);
  for (const [index, part] of message.parts.entries()) {
    if (part.kind === 'tool_call') {
      endSpoken();
      entries.push(entry('tool call', callAttributes(part, calls), jsonText(part.input)));
    } else if (part.kind === 'tool_result') {
      endSpoken();
      entries.push(resultEntry(part, calls));
      const call = calls.answered.get(part);
      const words = call === undefined ? null : userWordsIn(call, part);
      if (words !== null) entries.push(entry('user', {}, words));
    } else if (part.kind === 'text') {
      for (const { speaker, text } of said[index] ?? []) {
        speak(roleName(speaker, message), text);
      }
    } else {
      const text = spokenText(part);
      if (text !== null) speak(main, text);
    }
  }
  endSpoken();
  return entries;
}

/** How the record names who speaks; system messages keep the name that models know. */
function roleName(speaker: Speaker, { role }: Message): string {
  switch (speaker) {
    case 'user':
    case 'assistant':
    case 'subagent':
    case 'hook':
      return speaker;
    case 'tool':
      return 'tool output';
    case 'summary':
      return 'earlier summary';
    case 'project_instructions':
      return 'project instructions';
    case 'program':
      return role === 'user' ? 'note of the program' : role;
    default:
      return speaker satisfies never;
  }
}

function callAttributes(call: ToolCall, { numbers }: NumberedCalls): Record<string, string> {
  return { call: String(numbers.get(call) ?? 0), tool: call.name };
}

function resultEntry(result: ToolResult, calls: NumberedCalls): TranscriptEntry {
  const call = calls.answered.get(result);
  const text = result.content
    .map(spokenText)
    .filter((part) => part !== null)
    .join('\n');
  return entry(
    'tool output',
    {
      ...(call === undefined ? {} : callAttributes(call, calls)),
      ...(result.is_error ? { error: 'true' } : {}),
    },
    text === '' ? '[no output]' : text,
  );
}

function spokenText(part: Exclude<Part, { kind: 'tool_call' | 'tool_result' }>): string | null {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'image':
      return '[image]';
    case 'opaque':
      // Tools of many thousand tokens, of which nothing has to be told: they stay.
      return isJsonObject(part.json) && isSetting(part.json) ? null : jsonText(part.json);
    case 'thinking':
      return null;
    default:
      return part satisfies never;
  }
}

function jsonText(json: Json): string {
  if (typeof json === 'string') return withoutFile(json);
  return JSON.stringify(json, (_key, value: unknown) =>
    typeof value === 'string' ? withoutFile(value) : value,
  );
}

function withoutFile(text: string): string {
  const isFile = text.length > LONGEST_PLAIN_WORD && /^[\w+/=-]+$/.test(text);
  return isFile ? '[binary data]' : text;
}

function entry(role: string, attributes: Record<string, string>, text: string): TranscriptEntry {
  return { role, attributes, text: contentText(text) };
}

/** An entry as it stands in the record. */
export function entryText({ role, attributes, text }: TranscriptEntry): string {
  const pairs = Object.entries({ role, ...attributes });
  const head = pairs.map(([name, value]) => ` ${name}=${attributeText(value)}`).join('');
  return `<${ENTRY}${head}>\n${text}\n</${ENTRY}>`;
}

/** Quoted as JSON, with no angle bracket left: a tool's name cannot end the tag it stands in. */
function attributeText(value: string): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}

function contentText(text: string): string {
  return text
    .replace(DATA_URL, (_url, kind: string) => (kind === 'image' ? '[image]' : '[binary data]'))
    .replace(DELIMITER, '<\\');
}
