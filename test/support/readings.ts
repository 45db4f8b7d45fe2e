import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import type { Profile } from '../../src/domain/policy/profiles.ts';

/** What the user wants of a loop of readings. */
export const REQUEST = 'Find out which migration dropped the column legacy_id.';

/** A log of so many characters whose first and last lines say which reading it was. */
export function log(round: number, characters: number): string {
  const lines = Math.ceil(characters / 48);
  const middle = Array.from(
    { length: lines },
    (_, n) => `${round} migration ${n} applied in 3 ms, 0 rows lost`,
  );
  return [`FIRST LINE of reading ${round}`, ...middle, `LAST LINE of reading ${round}`].join('\n');
}

/** A request of the user, a call with its result, and an answer, in the shapes of all formats. */
export const SHAPES: Record<
  Format,
  {
    request: Item;
    exchange: (id: string, tool: string, output: string) => Item[];
    answer: (text: string) => Item;
  }
> = {
  anthropic: {
    request: { role: 'user', content: REQUEST },
    exchange: (id, name, content) => [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id, name, input: { command: 'cat a.log' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ],
    answer: (content) => ({ role: 'assistant', content }),
  },
  'openai-chat': {
    request: { role: 'user', content: REQUEST },
    exchange: (id, name, content) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id, type: 'function', function: { name, arguments: '{"command":"cat a.log"}' } },
        ],
      },
      { role: 'tool', tool_call_id: id, content },
    ],
    answer: (content) => ({ role: 'assistant', content }),
  },
  'ai-sdk': {
    request: { role: 'user', content: REQUEST },
    exchange: (toolCallId, toolName, value) => {
      const input = { command: 'cat a.log' };
      const output = { type: 'text', value };
      return [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] },
      ];
    },
    answer: (content) => ({ role: 'assistant', content }),
  },
  'openai-responses': {
    request: { type: 'message', role: 'user', content: [{ type: 'input_text', text: REQUEST }] },
    exchange: (call_id, name, output) => [
      { type: 'function_call', call_id, name, arguments: '{"command":"cat a.log"}' },
      { type: 'function_call_output', call_id, output },
    ],
    answer: (text) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    }),
  },
};

/** Figures that leave room in a small window; the profiles keep their own from 200,000 on. */
export function configOf(profile: Profile, window: number): ConfigOverrides {
  const limit =
    profile === 'codex-classic' ? { auto_compact_token_limit: Math.floor(window * 0.8) } : {};
  if (window >= 100_000 || profile === 'default') return limit;
  const tenth = Math.floor(window / 10);
  return { ...limit, free_space_buffer: tenth, warning_threshold: tenth, error_threshold: tenth };
}
