import { codecFor, type Format } from '../items/codecs.ts';
import { textOf } from '../items/convert.ts';
import type { Attachment, Message, Part, ToolCall } from '../items/item.ts';
import { readOpaque } from '../items/opaque.ts';
import { isJsonObject, type Json } from '../json.ts';
import { qualifiedName } from '../policy/own-tools.ts';
import type { EventType, SessionEvent } from '../session/events.ts';

export const KINDS = [
  'message',
  'tool_call',
  'tool_result',
  'reasoning',
  'attachment',
  'summary',
] as const;
export type Kind = (typeof KINDS)[number];
export const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type DocumentRole = (typeof ROLES)[number];

/**
 * What a search finds: a message, a call, a result … of one item, or a piece of it where it is long.
 * `offset` is the place of the piece in the whole text.
 */
export type SearchDocument = {
  kind: Kind;
  role: DocumentRole | null;
  /** Of a call; of a result only the id says whose it is. */
  tool: string | null;
  tool_use_id: string | null;
  text: string;
  offset: number;
};

/** Characters of a piece: it is ranked, and shown in parts, as a whole. */
const PIECE = 24_000;

/** The events of which there is something to be found. */
export const SEARCHED_EVENTS = [
  'item.appended',
  'compaction.completed',
  'compaction.observed',
  'session.forked',
] as const satisfies EventType[];

/** What is to be found of an event, in its order. */
export function documentsOf(event: SessionEvent, format: Format): SearchDocument[] {
  switch (event.type) {
    case 'item.appended':
      return ofItem(codecFor(format).normalise(event.data.item));
    case 'compaction.completed':
    case 'compaction.observed':
      return pieces({ ...PLAIN, kind: 'summary' }, event.data.summary_text);
    case 'session.forked':
      return event.data.entries
        .filter(({ origin }) => origin === 'summary')
        .flatMap(({ item }) => ofItem(codecFor(format).normalise(item)));
    default:
      return [];
  }
}

type Plain = Omit<SearchDocument, 'text' | 'offset'>;
const PLAIN: Plain = { kind: 'message', role: null, tool: null, tool_use_id: null };

function ofItem(item: ReturnType<ReturnType<typeof codecFor>['normalise']>): SearchDocument[] {
  switch (item.kind) {
    case 'message':
      return ofMessage(item);
    case 'attachment':
      return pieces({ ...PLAIN, kind: 'attachment' }, attachmentText(item));
    case 'system':
      return pieces({ ...PLAIN, role: 'system' }, item.content);
    case 'progress':
    case 'ghost_snapshot':
      return [];
    default:
      return item satisfies never;
  }
}

function attachmentText({ path, text }: Attachment): string {
  return path === undefined ? text : `${path}\n${text}`;
}

function ofMessage({ role, parts, is_compact_summary }: Message): SearchDocument[] {
  const said = parts.flatMap(saidIn).join('\n');
  const thought = parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : [])).join('\n');
  const kind = is_compact_summary ? 'summary' : 'message';
  return [
    ...pieces({ ...PLAIN, kind: 'reasoning', role }, thought),
    ...pieces({ ...PLAIN, kind, role }, said),
    ...parts.flatMap((part) => ofTool(part)),
  ];
}

function saidIn(part: Part): string[] {
  switch (part.kind) {
    case 'text':
      return [part.text];
    case 'opaque':
      return readOpaque(part.json).map(textOf);
    default:
      return [];
  }
}

function ofTool(part: Part): SearchDocument[] {
  switch (part.kind) {
    case 'tool_call': {
      const { id: tool_use_id } = part;
      const tool = qualifiedName(part);
      return pieces({ kind: 'tool_call', role: 'assistant', tool, tool_use_id }, callText(part));
    }
    case 'tool_result': {
      const { call_id: tool_use_id, content } = part;
      const text = content.flatMap(saidIn).join('\n');
      return pieces({ kind: 'tool_result', role: 'tool', tool: null, tool_use_id }, text);
    }
    default:
      return [];
  }
}

/** The name of the tool, and what it was given, a line for each value. */
function callText({ name, input }: ToolCall): string {
  return [name, ...valuesIn(input, '')].join('\n');
}

function valuesIn(value: Json, name: string): string[] {
  const label = name === '' ? '' : `${name}: `;
  if (Array.isArray(value)) return value.flatMap((one) => valuesIn(one, name));
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, one]) => valuesIn(one, key));
  }
  return [label + String(value)];
}

/** A long text in pieces that end with a line where they can; nothing of a blank one. */
function pieces(about: Plain, text: string): SearchDocument[] {
  const documents: SearchDocument[] = [];
  for (let offset = 0; offset < text.length; ) {
    const end = endOfPiece(text, offset);
    const piece = text.slice(offset, end);
    if (piece.trim() !== '') documents.push({ ...about, text: piece, offset });
    offset = end;
  }
  return documents;
}

function endOfPiece(text: string, from: number): number {
  const most = from + PIECE;
  if (most >= text.length) return text.length;
  const half = from + PIECE / 2;
  // Not further back: a text without lines would be gone through once for each of its pieces.
  const line = text.slice(half, most).lastIndexOf('\n');
  if (line > 0) return half + line + 1;
  const code = text.charCodeAt(most);
  const cutsPair = code >= 0xdc00 && code <= 0xdfff;
  return cutsPair ? most - 1 : most;
}
