import type { Message, Normalised, Part, ToolResult } from '../items/item.ts';
import type { Json } from '../json.ts';

const RECORD = 'conversation-record';
const ENTRY = 'record-entry';

/** Anything in the content that could be read as one of our delimiters, however it is spelled. */
const DELIMITER = new RegExp(`<(?=[\\s/\\\\]{0,16}(?:${RECORD}|${ENTRY}))`, 'gi');

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
  const calls: Calls = { count: 0, byId: new Map() };
  const entries = conversation.flatMap((item) => itemEntries(item, calls));
  return [`<${RECORD}>`, ...entries, `</${RECORD}>`].join('\n');
}

/** The calls met so far; some clients use an id again, so the count is not the size of the map. */
type Calls = { count: number; byId: Map<string, { number: number; name: string }> };

function itemEntries(item: Normalised, calls: Calls): string[] {
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

function messageEntries(message: Message, calls: Calls): string[] {
  const role = message.is_compact_summary ? 'earlier summary' : message.role;
  const entries: string[] = [];
  let spoken: string[] = [];
  const endSpoken = () => {
    const text = spoken.join('\n');
    if (text.trim() !== '') entries.push(entry(role, {}, text));
    spoken = [];
  };
  for (const part of message.parts) {
    if (part.kind === 'tool_call') {
      endSpoken();
      calls.count++;
      calls.byId.set(part.id, { number: calls.count, name: part.name });
      entries.push(
        entry('tool call', { call: String(calls.count), tool: part.name }, jsonText(part.input)),
      );
    } else if (part.kind === 'tool_result') {
      endSpoken();
      entries.push(resultEntry(part, calls));
    } else {
      const text = spokenText(part);
      if (text !== null) spoken.push(text);
    }
  }
  endSpoken();
  return entries;
}

function resultEntry(result: ToolResult, calls: Calls): string {
  const call = calls.byId.get(result.call_id);
  const text = result.content
    .map(spokenText)
    .filter((part) => part !== null)
    .join('\n');
  return entry(
    'tool output',
    {
      ...(call ? { call: String(call.number), tool: call.name } : {}),
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
      return jsonText(part.json);
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

function entry(role: string, attributes: Record<string, string>, text: string): string {
  const pairs = Object.entries({ role, ...attributes });
  const head = pairs.map(([name, value]) => ` ${name}=${attributeText(value)}`).join('');
  return `<${ENTRY}${head}>\n${contentText(text)}\n</${ENTRY}>`;
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
