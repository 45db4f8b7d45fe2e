/** One message of a session, before a system gives it a shape of its own. */
export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: Call[] }
  | { role: 'tool'; call_id: string; name: string; text: string };

export type Call = { id: string; name: string; input: Record<string, unknown> };

/** The message as providers of chat completions take it: what the bare baselines and we store. */
export type ChatMessage =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls?: ChatCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

type ChatCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

export function chatMessage(message: Message): ChatMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'tool':
      return { role: 'tool', tool_call_id: message.call_id, content: message.text };
    case 'assistant': {
      const { text: content, calls } = message;
      if (calls.length === 0) return { role: 'assistant', content };
      const tool_calls = calls.map(({ id, name, input }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: JSON.stringify(input) },
      }));
      return { role: 'assistant', content, tool_calls };
    }
  }
}

/** About as many tokens as a message has: four characters each, for every system alike. */
export function tokensOf(message: Message): number {
  const input = message.role === 'assistant' ? JSON.stringify(message.calls) : '';
  return Math.ceil((message.text.length + input.length) / 4);
}

/** What of a message decides whether a provider takes the context: calls, and results of calls. */
export type Pairing = { calls: readonly string[]; result: string | null };

/** Results whose call does not stand before them, and calls without a result: providers refuse both. */
export function unpaired(messages: readonly Pairing[]): number {
  const open = new Set<string>();
  let orphans = 0;
  for (const { calls, result } of messages) {
    if (result !== null && !open.delete(result)) orphans += 1;
    for (const id of calls) open.add(id);
  }
  return orphans + open.size;
}
