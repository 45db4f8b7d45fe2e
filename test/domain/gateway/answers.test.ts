import { describe, expect, it } from 'vitest';
import { answerReader } from '../../../src/domain/gateway/answers/readers.ts';
import { PROTOCOLS } from '../../../src/domain/gateway/protocol.ts';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import { cpuMs } from '../../support/cpu-time.ts';
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

it.each([
  ['a summary', 'All until here.'],
  ['none, where the provider has failed to make one', null],
])('a compaction by the provider comes with what it has sealed: %s', (_, content) => {
  const { ofEvents, ofBody } = answerReader('messages');
  const block = { type: 'compaction', content, encrypted_content: 'sealed' };
  const text = { type: 'text', text: 'So.' };
  const usage = { input_tokens: 1 };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', model: 'm', usage };
  const begun = { ...block, content: null, encrypted_content: null };
  const { type: __, ...rest } = block;
  const streamed = ofEvents([
    { type: 'message_start', message: { ...message, content: [] } },
    { type: 'content_block_start', index: 0, content_block: begun },
    { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', ...rest } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'So.' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_stop' },
  ]);
  expect(streamed).toEqual(ofBody({ ...message, content: [block, text] }));
});

it('thoughts at the end of an answer that broke off are none of the next one', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
  const done = { type: 'response.output_item.done', output_index: 0, item: reasoning };
  const begun = { type: 'response.created', response: { id: 'resp_1', object: 'response' } };
  const word = { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'So' };
  const responses = answerReader('responses');
  expect(responses.ofEvents([begun, done]).items).toEqual([]);
  expect(responses.ofEvents([begun, done, word]).items).toMatchObject([reasoning, {}]);
  expect(responses.ofEvents([begun, done, { type: 'response.incomplete' }]).items).toHaveLength(1);

  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const thought = [
    { type: 'message_start', message: { id: 'msg_1' } },
    { type: 'content_block_start', index: 0, content_block: thinking },
    { type: 'content_block_stop', index: 0 },
  ];
  const text = {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'text', text: 'S' },
  };
  const messages = answerReader('messages');
  expect(messages.ofEvents(thought).items).toEqual([]);
  expect(JSON.stringify(messages.ofEvents([...thought, text]).items)).toContain('Hm.');
});

it('nothing goes on from an answer in the background whose stream broke off: its rest is elsewhere', () => {
  const { ofEvents, ofBody } = answerReader('responses');
  const said = (id: string) => ({
    type: 'message',
    id,
    role: 'assistant',
    content: [{ type: 'output_text', text: 'So.', annotations: [] }],
  });
  const response = { id: 'resp_1', object: 'response', background: true };
  const output = [said('msg_1'), said('msg_2')];
  const begun = { ...response, status: 'in_progress', output: [] };
  const events = [
    { type: 'response.created', response: begun },
    ...output.map((item) => ({ type: 'response.output_item.done', item })),
    { type: 'response.completed', response: { ...response, status: 'completed', output } },
  ];
  const cut = ofEvents(events.slice(0, 2));
  expect(cut).toEqual({ id: null, items: [said('msg_1')], isWhole: false });
  expect(ofEvents(events)).toEqual({ id: 'resp_1', items: output, isWhole: true });
  expect(ofBody({ ...begun, output: [said('msg_1')] })).toMatchObject({ id: null });
});

describe('what else a message of Chat Completions says in pieces', () => {
  const { ofEvents, ofBody } = answerReader('chat');
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    id: 'c1',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const wholeOf = (message: JsonObject, finish_reason: string) =>
    ofBody({ id: 'c1', choices: [{ index: 0, message, finish_reason }] });
  const function_call = { name: 'read', arguments: '{"path":"a.txt"}' };

  it('is a call of one of its functions', () => {
    const events = [
      chunk({ role: 'assistant', content: null, function_call: { name: 'read', arguments: '' } }),
      chunk({ function_call: { arguments: '{"path":' } }),
      chunk({ function_call: { arguments: '"a.txt"}' } }),
      chunk({}, 'function_call'),
    ];
    const whole = wholeOf({ role: 'assistant', content: null, function_call }, 'function_call');
    expect(ofEvents(events)).toEqual(whole);
    expect(ofEvents(events).items).toEqual([{ role: 'assistant', content: null, function_call }]);
    expect(ofEvents(events.slice(0, 3)).items).toEqual([]);
  });

  it('is speech, without its sound', () => {
    const events = [
      chunk({ role: 'assistant', content: null }),
      chunk({ audio: { id: 'audio_1', transcript: 'It is ' } }),
      chunk({ audio: { id: 'audio_1', transcript: 'the port.' } }),
      chunk({ audio: { data: 'UklGRg==' } }),
      chunk({ audio: { data: 'AAAA' } }),
      chunk({ audio: { expires_at: 9 } }),
      chunk({}, 'stop'),
    ];
    const audio = { id: 'audio_1', transcript: 'It is the port.', expires_at: 9 };
    expect(ofEvents(events).items).toEqual([{ role: 'assistant', content: null, audio }]);
    expect(ofEvents(events.slice(0, -1)).items).toEqual([]);
  });
});

describe('reasoning of servers like OpenAI', () => {
  const { ofEvents, ofBody } = answerReader('chat');
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } };
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    id: 'gen-1',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const end = [chunk({ tool_calls: [{ index: 0, ...call }] }), chunk({}, 'tool_calls')];
  const wholeOf = (more: JsonObject) => {
    const message = { role: 'assistant', content: null, ...more, tool_calls: [call] };
    return ofBody({ id: 'gen-1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
  };

  it('comes with its seals out of the pieces of OpenRouter', () => {
    const text = { type: 'reasoning.text', index: 0, format: 'v1' };
    const sealed = { type: 'reasoning.encrypted', index: 1, data: 'E1', id: 'c1' };
    const streamed = ofEvents([
      chunk({ reasoning: 'Let me ', reasoning_details: [{ ...text, text: 'Let me ' }] }),
      chunk({ reasoning: 'see.', reasoning_details: [{ ...text, text: 'see.' }] }),
      chunk({ reasoning_details: [{ ...text, signature: 'S1' }] }),
      chunk({ reasoning_details: [{ ...text, text: 'Next.' }, sealed] }),
      ...end,
    ]);
    const reasoning_details = [
      { ...text, text: 'Let me see.', signature: 'S1' },
      { ...text, text: 'Next.' },
      sealed,
    ];
    expect(streamed).toEqual(wholeOf({ reasoning: 'Let me see.', reasoning_details }));
    expect(streamed.items[0]).toMatchObject({ reasoning: 'Let me see.', reasoning_details });
  });

  it('comes out of the pieces of LiteLLM', () => {
    const piece = (more: JsonObject) =>
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: '', ...more }] });
    const streamed = ofEvents([
      piece({ thinking: 'Let me ' }),
      piece({ thinking: 'see.' }),
      piece({ signature: 'S1' }),
      ...end,
    ]);
    const thinking_blocks = [{ type: 'thinking', thinking: 'Let me see.', signature: 'S1' }];
    expect(streamed).toEqual(wholeOf({ thinking_blocks }));
    expect(streamed.items[0]).toMatchObject({ thinking_blocks });
  });

  it('is left out where the answer broke off, since a seal may be missing', () => {
    const details = [{ type: 'reasoning.text', text: 'Let' }];
    const { items } = ofEvents([chunk({ content: 'So' }), chunk({ reasoning_details: details })]);
    expect(items).toEqual([{ role: 'assistant', content: 'So' }]);
  });
});

it.each([
  {
    protocol: 'messages' as const,
    what: 'citations',
    events: (count: number) => [
      { type: 'message_start', message: { id: 'm', type: 'message', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...Array.from({ length: count }, (_, n) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation: { n } },
      })),
      { type: 'message_stop' },
    ],
  },
  {
    protocol: 'chat' as const,
    what: 'pieces of reasoning',
    events: (count: number) =>
      Array.from({ length: count }, () => ({
        choices: [
          { delta: { reasoning_details: [{ type: 'reasoning.text', text: 'a', index: 0 }] } },
        ],
      })),
  },
])('$protocol: reads many $what in time that grows with their number', ({ protocol, events }) => {
  const all = events(40_000);
  const started = cpuMs();
  answerReader(protocol).ofEvents(all);
  // Copied with each of them they took ten seconds.
  expect(cpuMs() - started).toBeLessThan(3_000);
});
