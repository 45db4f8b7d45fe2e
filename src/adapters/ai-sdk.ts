import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Middleware,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';
import { type AdapterOptions, conversation, isRecord, keyOf, textOf } from './conversation.ts';

type Block = Record<string, unknown>;
type Part = Exclude<LanguageModelV3Message['content'], string>[number];
type Result = LanguageModelV3ToolResultPart;

/**
 * Middleware for `wrapLanguageModel` of the AI SDK: before each call the prompt is synced with a session,
 * and the model is given the session's context. What no compaction has touched is sent as the same
 * objects, with their provider options and reasoning. When the service is away, the prompt goes out as it
 * is. System messages at the front stay where they are and are not counted, nor are the tools.
 */
export function palimpsest(options: AdapterOptions): LanguageModelV3Middleware {
  const { contextOf } = conversation(options, 'anthropic');
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params, model }) => {
      const start = params.prompt.findIndex(({ role }) => role !== 'system');
      const history = start < 0 ? [] : params.prompt.slice(start);
      const known = knownParts(history);
      const call = { model: model.modelId, signal: params.abortSignal };
      const context = await contextOf(known.items, call);
      if (context === null) return params;
      const messages = context
        .flatMap(({ item }) => messagesOf(item, known))
        .filter(({ content }) => content.length > 0);
      const prompt = [...params.prompt.slice(0, start), ...messages];
      return { ...params, prompt } satisfies LanguageModelV3CallOptions;
    },
  };
}

/** The history as items, and where each item and each block came from. */
function knownParts(history: readonly LanguageModelV3Message[]) {
  const messages = new Map<string, LanguageModelV3Message>();
  const parts = new Map<string, Part>();
  const results = new Map<string, Result>();
  const items = history.flatMap((message) => {
    const blocks = partsOf(message).flatMap((part) => {
      const block = blockOf(part);
      if (block === null) return [];
      parts.set(keyOf(block), part);
      if (part.type === 'tool-result') results.set(part.toolCallId, part);
      return [block];
    });
    if (blocks.length === 0) return [];
    const role = message.role === 'tool' ? 'user' : message.role;
    const item = { role, content: blocks };
    messages.set(keyOf(item), message);
    return [item];
  });
  return { items, messages, parts, results };
}

type Known = ReturnType<typeof knownParts>;

function partsOf({ role, content }: LanguageModelV3Message): readonly Part[] {
  return role === 'system' ? [{ type: 'text', text: content }] : content;
}

/** Reasoning has no block: it is bound to its message, and comes back with that or not at all. */
function blockOf(part: Part): Block | null {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : { type: 'text', text: part.text };
    case 'file':
      return { type: kindOf(part), source: sourceOf(part) };
    case 'tool-call':
      return {
        type: 'tool_use',
        id: part.toolCallId,
        name: part.toolName,
        input: isRecord(part.input) ? part.input : { input: part.input },
      };
    case 'tool-result':
      return { type: 'tool_result', tool_use_id: part.toolCallId, ...outputOf(part.output) };
    default:
      return null;
  }
}

function kindOf({ mediaType }: LanguageModelV3FilePart): string {
  return mediaType.startsWith('image/') ? 'image' : 'document';
}

function sourceOf({ data, mediaType }: LanguageModelV3FilePart): Block {
  if (data instanceof URL) return { type: 'url', url: data.href };
  const text = typeof data === 'string' ? data : base64(data);
  return { type: 'base64', media_type: mediaType, data: text };
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function outputOf(output: Result['output']): Block {
  switch (output.type) {
    case 'text':
      return { content: output.value };
    case 'error-text':
      return { content: output.value, is_error: true };
    case 'execution-denied':
      return { content: output.reason ?? 'The call was denied.', is_error: true };
    default:
      return {
        content: JSON.stringify(output.value),
        ...(output.type === 'error-json' && { is_error: true }),
      };
  }
}

/** The message of an item: the one that it was, or with the parts that are still there. */
function messagesOf(item: Block, known: Known): LanguageModelV3Message[] {
  const same = known.messages.get(keyOf(item));
  if (same !== undefined) return [same];
  const { role, content } = item;
  const blocks = Array.isArray(content)
    ? content.filter(isRecord)
    : [{ type: 'text', text: content }];
  const parts = blocks.flatMap((block) => partOf(block, known) ?? []);
  // What is put in place of a part has the type of the part, so each role keeps to its own.
  const of = <P extends Part>(isOf: (part: Part) => part is P) => parts.filter(isOf);
  if (role === 'assistant')
    return [{ role, content: of((part): part is Said => part.type !== 'file') }];
  const told = of((part) => part.type === 'text' || part.type === 'file');
  return [
    { role: 'tool', content: of((part) => part.type === 'tool-result') },
    role === 'system' ? { role, content: textOf(content) } : { role: 'user', content: told },
  ];
}

type Said = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number];

function partOf(block: Block, { parts, results }: Known): Part | null {
  const same = parts.get(keyOf(block));
  if (same !== undefined) return same;
  if (block.type === 'text') return { type: 'text', text: String(block.text) };
  if (block.type !== 'tool_result') return null;
  const result = results.get(String(block.tool_use_id));
  return result === undefined
    ? null
    : { ...result, output: { type: 'text', value: textOf(block.content) } };
}
