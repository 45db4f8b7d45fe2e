import { chatMessage } from '../message.ts';
import type { CompactionPeer } from '../peer.ts';

/** The baseline: parsing the context once, and changing nothing. */
export const parseOnly: CompactionPeer = async (messages) => {
  const texts = messages.map((message) => JSON.stringify(chatMessage(message)));
  const started = performance.now();
  const parsed = texts.map((text): unknown => JSON.parse(text));
  return {
    milliseconds: performance.now() - started,
    characters: texts.reduce((sum, text) => sum + text.length, 0),
    messages: parsed.map((_, index) => {
      const message = messages[index];
      return {
        calls: message?.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
        result: message?.role === 'tool' ? message.call_id : null,
      };
    }),
  };
};
