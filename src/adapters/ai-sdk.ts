import { isRecord, keyOf, textOf } from './content.ts';
import { type AdapterOptions, conversation } from './conversation.ts';
import { type Block, blockOf, type Message, type Part, partsOf } from './prompt-parts.ts';

/** What the middleware reads of a call; the specifications v3 (AI SDK 6) and v4 (AI SDK 7) have it alike. */
type Params = {
  prompt: readonly Message[];
  tools?: unknown;
  responseFormat?: unknown;
  abortSignal?: AbortSignal | undefined;
};
type Asked<P> = { params: P; model: { modelId: string } };
type Answered = { usage: { inputTokens: { total: number | undefined } } };
type Streamed = { stream: ReadableStream };

/**
 * Middleware for `wrapLanguageModel` of the AI SDK: before each call the prompt is synced with a session,
 * and the model is given the session's context. What no compaction has touched is sent as the same
 * objects, with their provider options and reasoning. When the service is away, the prompt goes out as it
 * is. System messages at the front and tools stay as they are, and have their room kept free.
 */
export function palimpsest(options: AdapterOptions) {
  const { contextOf } = conversation(options, 'anthropic');
  /** Of each call that goes out with a context, by its parameters. */
  const counts = new WeakMap<object, (input: unknown) => void>();
  return {
    specificationVersion: 'v3' as const,
    transformParams: async <P extends Params>({ params, model }: Asked<P>): Promise<P> => {
      const start = params.prompt.findIndex(({ role }) => role !== 'system');
      const history = start < 0 ? [] : params.prompt.slice(start);
      const opening = params.prompt.slice(0, Math.max(0, start));
      const known = knownParts(history);
      const context = await contextOf(known.items, {
        messagesOf: (item, place) => messagesOf(item, place, known),
        besides: [opening, params.tools ?? [], params.responseFormat ?? null],
        model: model.modelId,
        signal: params.abortSignal,
      });
      if (context === null) return params;
      const transformed = { ...params, prompt: [...opening, ...context.messages] };
      counts.set(transformed, context.counted);
      return transformed;
    },
    wrapGenerate: async <R extends Answered>({
      doGenerate,
      params,
    }: {
      doGenerate: () => PromiseLike<R>;
      params: object;
    }) => {
      const result = await doGenerate();
      counts.get(params)?.(result.usage.inputTokens.total);
      return result;
    },
    wrapStream: async <R extends Streamed>({
      doStream,
      params,
    }: {
      doStream: () => PromiseLike<R>;
      params: object;
    }) => {
      const result = await doStream();
      const transform = (chunk: unknown, controller: TransformStreamDefaultController) => {
        const usage = isRecord(chunk) && isRecord(chunk.usage) ? chunk.usage.inputTokens : null;
        if (isRecord(usage)) counts.get(params)?.(usage.total);
        controller.enqueue(chunk);
      };
      return { ...result, stream: result.stream.pipeThrough(new TransformStream({ transform })) };
    },
  };
}

/** The history as items, the message of each, and where each block came from. */
function knownParts(history: readonly Message[]) {
  const messages: Message[] = [];
  const parts = new Map<string, Part>();
  const results = new Map<string, Part>();
  const items = history.flatMap((message) => {
    const blocks = partsOf(message).flatMap((part) => {
      const block = blockOf(part, message);
      if (block === null) return [];
      parts.set(keyOf(block), part);
      if (block.type === 'tool_result') results.set(String(part.toolCallId), part);
      return [block];
    });
    if (blocks.length === 0) return [];
    const role = message.role === 'tool' ? 'user' : message.role;
    messages.push(message);
    return [{ role, content: blocks }];
  });
  return { items, messages, parts, results };
}

type Known = ReturnType<typeof knownParts>;

/** The message of an item: the one that it was, or with the parts that are still there. */
function messagesOf(item: Block, place: number | null, known: Known): Message[] {
  const same = place === null ? undefined : known.messages[place];
  if (same !== undefined) return [same];
  const { role, content } = item;
  const blocks = Array.isArray(content)
    ? content.filter(isRecord)
    : [{ type: 'text', text: content }];
  const parts = blocks.flatMap((block) => partOf(block, known) ?? []);
  if (role === 'system') return [{ role, content: textOf(content) }];
  if (role === 'assistant') return parts.length === 0 ? [] : [{ role, content: parts }];
  const results = parts.filter(({ type }) => type.startsWith('tool-'));
  const told = parts.filter(({ type }) => type === 'text' || type === 'file');
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(told.length > 0 ? [{ role: 'user' as const, content: told }] : []),
  ];
}

function partOf(block: Block, { parts, results }: Known): Part | null {
  const same = parts.get(keyOf(block));
  if (same !== undefined) return same;
  if (block.type === 'text') return { type: 'text', text: String(block.text) };
  if (block.type === 'tool_use') {
    // Of an id that the provider has given twice, the second is another one in the context.
    const call = { toolCallId: block.id, toolName: block.name };
    results.set(String(block.id), { type: 'tool-result', ...call });
    return { type: 'tool-call', ...call, input: block.input };
  }
  if (block.type !== 'tool_result') return null;
  const result = results.get(String(block.tool_use_id));
  const output = { type: 'text', value: textOf(block.content) };
  return result === undefined ? null : { ...result, output };
}
