import type { SessionManager } from '@mariozechner/pi-coding-agent';
import type { Message } from './message.ts';

type PiMessage = Parameters<SessionManager['appendMessage']>[0];

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function piMessage(message: Message): PiMessage {
  const timestamp = Date.now();
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text, timestamp };
    case 'tool':
      return {
        role: 'toolResult',
        toolCallId: message.call_id,
        toolName: message.name,
        content: [{ type: 'text', text: message.text }],
        isError: false,
        timestamp,
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          { type: 'text', text: message.text },
          ...message.calls.map(({ id, name, input }) => ({
            type: 'toolCall' as const,
            id,
            name,
            arguments: input,
          })),
        ],
        api: 'openai-completions',
        provider: 'openai',
        model: 'scripted',
        usage: { ...NO_COST, totalTokens: 0, cost: { ...NO_COST, total: 0 } },
        stopReason: 'stop',
        timestamp,
      };
  }
}
