import type { Message, Normalised, Part } from '../../src/domain/items/item.ts';
import { isJsonObject, type Json } from '../../src/domain/json.ts';

/** Who is heard in a passage, by role and by what the recording says, not by the words. */
export type Voice = 'user' | 'assistant' | 'tool' | 'other';

/** A piece of text as it stands in a conversation; `item` is the place of its item. */
export type Passage = {
  voice: Voice;
  text: string;
  item: number;
  /** What stands in the arguments of a call and not in words. */
  is_call?: true;
};

/** A call of a tool and what came back. */
export type Call = {
  id: string;
  name: string;
  input: Json;
  item: number;
  result: { text: string; item: number; is_error: boolean } | null;
};

export type Conversation = { passages: Passage[]; calls: Call[]; items: number };

/** Takes normalised items apart. Calls and results belong together by their ids alone. */
export function conversationOf(items: readonly Normalised[]): Conversation {
  const passages: Passage[] = [];
  const calls: Call[] = [];
  const byId = new Map<string, Call>();
  for (const [index, item] of items.entries()) {
    if (item.kind === 'attachment') {
      passages.push({ voice: 'other', text: `${item.path ?? ''}\n${item.text}`, item: index });
    }
    if (item.kind !== 'message') continue;
    for (const part of item.parts) {
      const text = textOfPart(part);
      if (text.trim() !== '') {
        const call = part.kind === 'tool_call' ? ({ is_call: true } as const) : {};
        passages.push({ voice: voiceOf(item, part), text, item: index, ...call });
      }
      if (part.kind === 'tool_call') {
        const call: Call = {
          id: part.id,
          name: part.name,
          input: part.input,
          item: index,
          result: null,
        };
        calls.push(call);
        for (const id of [part.id, part.other_id]) if (id !== undefined) byId.set(id, call);
      }
    }
  }
  addResults(items, byId);
  addShellAnswers(items, calls);
  return {
    passages,
    calls: [...calls, ...writtenCommands(items)].sort(byItem),
    items: items.length,
  };
}

function byItem(one: Call, other: Call): number {
  return one.item - other.item;
}

function addResults(items: readonly Normalised[], byId: ReadonlyMap<string, Call>): void {
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'message') continue;
    for (const part of item.parts) {
      const call = part.kind === 'tool_result' ? byId.get(part.call_id) : undefined;
      if (part.kind !== 'tool_result' || call === undefined) continue;
      call.result = { text: textOfPart(part), item: index, is_error: part.is_error };
    }
  }
}

/** Calls without ids are answered by what the shell says next. */
function addShellAnswers(items: readonly Normalised[], calls: readonly Call[]): void {
  for (const call of calls) {
    const answer = items[call.item + 1];
    const isAnswer = answer?.kind === 'message' && answer.speaker === 'tool';
    if (call.result !== null || !isAnswer) continue;
    call.result = { text: spokenText(answer), item: call.item + 1, is_error: false };
  }
}

/** Agents without tool calls write a command in a fence; what the shell says comes next. */
function writtenCommands(items: readonly Normalised[]): Call[] {
  return items.flatMap((item, index): Call[] => {
    const answer = items[index + 1];
    if (item.kind !== 'message' || item.role !== 'assistant' || answer?.kind !== 'message') {
      return [];
    }
    const hasCall = item.parts.some(({ kind }) => kind === 'tool_call');
    const fence = /```[a-z]*\n([\s\S]*?)```\s*$/.exec(spokenText(item));
    if (hasCall || answer.speaker !== 'tool' || fence === null) return [];
    const result = { text: spokenText(answer), item: index + 1, is_error: false };
    return [{ id: `written-${index}`, name: 'shell', input: fence[1] ?? '', item: index, result }];
  });
}

/** What is said in a message, without calls and results. */
function spokenText({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

function voiceOf(message: Message, part: Part): Voice {
  if (part.kind === 'tool_result') return 'tool';
  if (part.kind === 'tool_call') return 'assistant';
  if (message.is_compact_summary || message.is_meta || message.is_api_error_message) return 'other';
  if (message.agent_id !== undefined) return 'other';
  switch (message.speaker) {
    case undefined:
    case 'user':
    case 'assistant':
      return message.role === 'system' ? 'other' : message.role;
    case 'tool':
      return 'tool';
    default:
      return 'other';
  }
}

/** What is read of a part: thinking, pictures and unknown parts are nobody's words. */
function textOfPart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'tool_call':
      return stringsIn(part.input).join('\n');
    case 'tool_result':
      return part.content.map((inner) => (inner.kind === 'text' ? inner.text : '')).join('\n');
    case 'image':
    case 'thinking':
    case 'opaque':
      return '';
    default:
      return part satisfies never;
  }
}

/** All strings inside a JSON value, in their order. */
export function stringsIn(json: Json): string[] {
  if (typeof json === 'string') return [json];
  if (Array.isArray(json)) return json.flatMap(stringsIn);
  return isJsonObject(json) ? Object.values(json).flatMap(stringsIn) : [];
}

/** The texts of a conversation as one. */
export function textOf({ passages }: Conversation): string {
  return passages.map(({ text }) => text).join('\n\n');
}
