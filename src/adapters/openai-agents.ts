import type { AgentInputItem, CallModelInputFilter, Session } from '@openai/agents';
import { contentOf, filesIn, partsIn, replaced, spokenIn } from './agents-content.ts';
import { withReasonsOnly } from './agents-reasoning.ts';
import { definitionsOf, toolInput, toolItem } from './agents-tools.ts';
import { isRecord, keyOf, textOf } from './content.ts';
import { type AdapterOptions, conversation } from './conversation.ts';

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
  let inPlaceOf = new Map<string, AgentInputItem>();

  /** What another process has left in the log; nothing where there is no such session, or no service. */
  async function load(): Promise<AgentInputItem[]> {
    const items: Item[] = [];
    try {
      const gone = new Set<unknown>();
      for await (const { data } of client.each('listEvents', { id, types: 'item.superseded' })) {
        const taken: unknown[] = Array.isArray(data.items) ? data.items : [];
        for (const one of taken.filter(isRecord)) gone.add(one.seq);
      }
      for await (const { seq, item } of client.each('listItems', { id })) {
        if (!gone.has(seq)) items.push(item);
      }
    } catch (error) {
      if (!isRecord(error) || error.code !== 'session_not_found') options.onError?.(error);
    }
    const calls = items.filter(({ type }) => type === 'function_call');
    const names = new Map(calls.map(({ call_id, name }) => [call_id, name]));
    return items.flatMap((item) => inputOf(item, String(names.get(item.call_id) ?? '')));
  }
  const all = () => (history ??= load());
  const keep = async (items: AgentInputItem[]) => {
    history = Promise.resolve(items);
    const known = knownItems(items);
    await contextOf(known.items, known);
  };

  return {
    session: {
      getSessionId: async () => id,
      getItems: async (limit) => (await all()).slice(limit === undefined ? 0 : -limit),
      addItems: async (items) => {
        const said = items.map((item) => inPlaceOf.get(keyOf(item)) ?? item);
        await keep([...(await all()), ...said]);
      },
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
    callModelInputFilter: async ({ modelData, agent }) => {
      const { items, messagesOf, last } = knownItems(modelData.input);
      const besides = [modelData.instructions ?? '', await definitionsOf(agent)];
      const context = await contextOf(items, { messagesOf, besides });
      if (context === null) return modelData;
      const input = withReasonsOnly(modelData.input, [...context.messages, ...last]);
      inPlaceOf = replaced(modelData.input, input);
      return { ...modelData, input };
    },
  };
}

/** The history as items, and what each of them was. Reasoning goes with what follows it, or comes last. */
function knownItems(history: readonly AgentInputItem[]) {
  const origins: AgentInputItem[][] = [];
  const results = new Map<string, string>();
  let before: AgentInputItem[] = [];
  const items = history.flatMap((input) => {
    const item = itemOf(input);
    if (item === null) {
      before.push(input);
      return [];
    }
    origins.push([...before, input]);
    if (input.type === 'function_call_result') results.set(input.callId, input.name);
    before = [];
    return [item];
  });
  const messagesOf = (item: Item, place: number | null) =>
    (place === null ? undefined : origins[place]) ??
    inputOf(item, results.get(String(item.call_id)) ?? '');
  return { items, messagesOf, last: before };
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
    case 'function_call_result':
      return {
        type: 'function_call_output',
        call_id: input.callId,
        output: contentOf(isRecord(input.output) ? [input.output] : input.output),
      };
    default:
      return toolItem(input);
  }
}

/** What a compaction has made or changed, as the SDK has it; nothing for what it has no type for. */
function inputOf(item: Item, resultName: string): AgentInputItem[] {
  const callId = String(item.call_id);
  const status = 'completed';
  switch (item.type) {
    case 'function_call': {
      const text = String(item.arguments);
      return [{ type: item.type, callId, name: String(item.name), arguments: text, status }];
    }
    case 'function_call_output': {
      const output = filesIn(item.output) ?? textOf(item.output);
      return [{ type: 'function_call_result', callId, name: resultName, status, output }];
    }
    case 'message': {
      const text = textOf(item.content);
      if (item.role === 'user') return [{ role: 'user', content: partsIn(item.content) ?? text }];
      if (item.role !== 'assistant') return [{ role: 'system', content: text }];
      return [{ role: 'assistant', status, content: spokenIn(item.content) }];
    }
    default:
      return toolInput(item);
  }
}
