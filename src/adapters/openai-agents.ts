import type { AgentInputItem, CallModelInputFilter, Session } from '@openai/agents';
import { type AdapterOptions, conversation, isRecord, keyOf, textOf } from './conversation.ts';

type Item = Record<string, unknown>;

/**
 * What `run` of the OpenAI Agents SDK takes beside agent and input: a session that keeps the history in
 * the log, and a filter that gives the model the session's context before each call, also in the middle
 * of a run. When the service is away, the model is given the history as it is, which this process holds.
 */
export function palimpsest(options: AdapterOptions): {
  session: Session;
  callModelInputFilter: CallModelInputFilter;
} {
  const { contextOf, client, erase } = conversation(options, 'openai-responses');
  const id = options.session;
  let history: Promise<AgentInputItem[]> | null = null;

  /** What another process has left in the log; nothing where there is no such session, or no service. */
  async function load(): Promise<AgentInputItem[]> {
    const items: Item[] = [];
    try {
      for await (const { item } of client.each('listItems', { id })) items.push(item);
    } catch (error) {
      const isNew = isRecord(error) && error.code === 'session_not_found';
      if (!isNew) options.onError?.(error);
    }
    const names = new Map(items.map(({ call_id, name }) => [call_id, name]));
    return items.flatMap((item) => inputOf(item, String(names.get(item.call_id) ?? '')) ?? []);
  }
  const all = () => {
    history ??= load();
    return history;
  };
  const keep = async (items: AgentInputItem[]) => {
    history = Promise.resolve(items);
    await contextOf(knownItems(items).items);
  };

  return {
    session: {
      getSessionId: async () => id,
      getItems: async (limit) => (await all()).slice(limit === undefined ? 0 : -limit),
      addItems: async (items) => keep([...(await all()), ...items]),
      popItem: async () => {
        const items = await all();
        history = Promise.resolve(items.slice(0, -1));
        return items.at(-1);
      },
      replaceHistoryWithCompaction: keep,
      clearSession: async () => {
        history = Promise.resolve([]);
        await erase();
      },
    },
    callModelInputFilter: async ({ modelData }) => {
      const known = knownItems(modelData.input);
      const context = await contextOf(known.items);
      if (context === null) return modelData;
      const input = context.flatMap(({ item }) => known.inputsOf(item));
      return { ...modelData, input };
    },
  };
}

/** The history as items, and what each of them was. Reasoning goes with what follows it. */
function knownItems(history: readonly AgentInputItem[]) {
  const origins = new Map<string, AgentInputItem[]>();
  const results = new Map<string, string>();
  let before: AgentInputItem[] = [];
  const items = history.flatMap((input) => {
    const item = itemOf(input);
    if (item === null) {
      before.push(input);
      return [];
    }
    origins.set(keyOf(item), [...before, input]);
    if (input.type === 'function_call_result') results.set(input.callId, input.name);
    before = [];
    return [item];
  });
  const inputsOf = (item: Item): AgentInputItem[] => {
    const same = origins.get(keyOf(item));
    if (same !== undefined) return same;
    return [inputOf(item, results.get(String(item.call_id)) ?? '') ?? []].flat();
  };
  return { items, inputsOf };
}

/** An input as an item of the Responses API; null for what is kept beside it. */
function itemOf(input: AgentInputItem): Item | null {
  switch (input.type) {
    case 'message':
    case undefined:
      return 'role' in input
        ? { type: 'message', role: input.role, content: contentOf(input.content) }
        : null;
    case 'function_call': {
      const { callId: call_id, name, arguments: text } = input;
      return { type: input.type, call_id, name, arguments: text };
    }
    case 'function_call_result': {
      const text = typeof input.output === 'string' ? input.output : resultText(input.output);
      return { type: 'function_call_output', call_id: input.callId, output: text };
    }
    default:
      return null;
  }
}

function resultText(output: unknown): string {
  const text = textOf(Array.isArray(output) ? output : [output]);
  return text === '' ? JSON.stringify(output) : text;
}

function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content
    .filter(isRecord)
    .map(({ type, text, image }) =>
      type === 'input_image'
        ? { type, ...(isRecord(image) ? { file_id: image.id } : { image_url: image }) }
        : { type, text: text ?? '' },
    );
}

/** What a compaction has made or changed, as the SDK has it; null for what it has no type for. */
function inputOf(item: Item, resultName: string): AgentInputItem | null {
  const callId = String(item.call_id);
  const status = 'completed';
  switch (item.type) {
    case 'function_call': {
      const text = String(item.arguments);
      return { type: item.type, callId, name: String(item.name), arguments: text, status };
    }
    case 'function_call_output': {
      const output = textOf(item.output);
      return { type: 'function_call_result', callId, name: resultName, status, output };
    }
    case 'message': {
      const text = textOf(item.content);
      if (item.role !== 'assistant')
        return { role: item.role === 'user' ? 'user' : 'system', content: text };
      return { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] };
    }
    default:
      return null;
  }
}
