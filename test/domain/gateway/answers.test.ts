import { describe, expect, it } from 'vitest';
import { answerReader } from '../../../src/domain/gateway/answers/readers.ts';
import { PROTOCOLS } from '../../../src/domain/gateway/protocol.ts';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import { bodyOf, eventsOf, type Said } from '../../support/gateway/provider-answers.ts';

const SAID: Said = {
  text: 'Looking at a log, line by line.',
  calls: [
    { id: 'call_1', name: 'read', input: { path: 'a "quoted" name.txt', lines: [1, 2] } },
    { id: 'call_2', name: 'list', input: {} },
  ],
};
const FIGURES = { input: 120, output: 12 };

function parsed(frames: readonly string[]): JsonObject[] {
  return frames.flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1] ?? '';
    const json: unknown = data === '[DONE]' ? null : JSON.parse(data);
    return isJsonObject(json) ? [json] : [];
  });
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  const reader = answerReader(protocol);
  const events = parsed(eventsOf(protocol, '1', SAID, FIGURES));
  const body = bodyOf(protocol, '1', SAID, FIGURES) as JsonObject;

  it('a stream comes to what the whole body says', () => {
    const streamed = reader.ofEvents(events);
    const whole = reader.ofBody(body);
    expect(streamed).toEqual(whole);
    expect(streamed.isWhole).toBe(true);
    expect(streamed.items.length).toBeGreaterThan(0);
    expect(JSON.stringify(streamed.items.at(-1))).toContain('"usage"');
  });

  it('of a stream that breaks off nothing is kept that could not be sent again', () => {
    for (let end = 0; end < events.length - 1; end++) {
      const { items, isWhole } = reader.ofEvents(events.slice(0, end));
      if (isWhole) continue;
      const text = JSON.stringify(items);
      // A call is there as a whole or not at all.
      expect(text.includes('call_1')).toBe(text.includes('name.txt'));
      expect(text).not.toContain('"usage"');
    }
  });

  it('an error is no answer', () => {
    expect(reader.ofBody({ type: 'error', error: { message: 'no' } })).toBeNull();
    expect(reader.ofEvents([{ type: 'error', error: {} }]).items).toEqual([]);
  });
});

it('thinking keeps its signature, and goes without one', () => {
  const { ofEvents } = answerReader('messages');
  const events = [
    { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'Yes' } },
  ];
  expect(ofEvents(events).items).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'text', text: 'Yes' },
      ],
    },
  ]);
  expect(ofEvents(events.slice(0, 4)).items).toEqual([]);
});
