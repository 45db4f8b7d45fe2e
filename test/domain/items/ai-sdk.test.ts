import { describe, expect, test } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { MISSING_RESULT_NOTE } from '../../../src/domain/items/pairing.ts';
import type { Json, JsonObject } from '../../../src/domain/json.ts';

const codec = codecFor('ai-sdk');
const call = (toolCallId: string, more: JsonObject = {}): JsonObject => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'bash',
  input: { command: 'ls' },
  ...more,
});
const result = (toolCallId: string, value: Json, type = 'text'): JsonObject => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'bash',
  output: { type, value },
});
const says = (...content: JsonObject[]): Item => ({ role: 'assistant', content });
const tool = (...content: JsonObject[]): Item => ({ role: 'tool', content });
const user: Item = { role: 'user', content: 'Go on.' };

describe('model messages of the AI SDK', () => {
  test('are rendered as they came, with all that a provider has added', () => {
    const options = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
    const items = [
      { role: 'system', content: 'Be brief.', ...options },
      user,
      says({ type: 'reasoning', text: 'Hm', ...options }, call('a'), call('b')),
      tool(result('b', 'two'), result('a', { n: 1 }, 'json')),
      says({ type: 'text', text: 'Done.' }),
    ];
    expect(items.flatMap((item) => codec.check(item))).toEqual([]);
    expect(codec.render(items)).toEqual(items);
  });

  test('a result goes behind its call, one without call goes, a call without result gets a note', () => {
    const items = [
      tool(result('x', 'lost')),
      says(call('a'), call('b')),
      user,
      tool(result('a', 1)),
    ];
    const rendered = codec.render(items);
    expect(rendered).toEqual([
      says(call('a'), call('b')),
      tool(result('a', 1)),
      tool(result('b', MISSING_RESULT_NOTE, 'error-text')),
      user,
    ]);
    expect(codec.violations(rendered)).toEqual([]);
  });

  test('calls that are open at the end stay open', () => {
    expect(codec.render([user, says(call('a'))])).toEqual([user, says(call('a'))]);
  });

  test('the tools of the provider and the leave of the user stay where they are', () => {
    const ran = { providerExecuted: true };
    const items = [
      user,
      says(call('p', ran), result('p', 'found'), call('a'), {
        type: 'tool-approval-request',
        approvalId: 'q',
        toolCallId: 'a',
      }),
      tool({ type: 'tool-approval-response', approvalId: 'q', approved: true }),
    ];
    expect(codec.render(items)).toEqual(items);
  });

  test.each<[string, Json, string, boolean]>([
    ['text', 'seen', 'seen', false],
    ['json', { n: 1 }, '{"n":1}', false],
    ['error-text', 'boom', 'boom', true],
    ['error-json', ['e'], '["e"]', true],
    ['content', [{ type: 'text', text: 'seen' }], 'seen', false],
  ])('an output of type %s is read', (type, value, text, is_error) => {
    expect(codec.normalise(tool(result('a', value, type)))).toMatchObject({
      role: 'user',
      parts: [{ kind: 'tool_result', call_id: 'a', content: [{ kind: 'text', text }], is_error }],
    });
  });

  test('a cleared result keeps its other fields, and that it was an error', () => {
    const items = tool(result('a', 'boom', 'error-text'), result('b', 'kept'));
    expect(codec.editResults(items, new Map([['a', 'cleared']]))).toEqual(
      tool(result('a', 'cleared', 'error-text'), result('b', 'kept')),
    );
    expect(codec.editResults(items, new Map([['z', 'cleared']]))).toBe(items);
  });

  test.each<[Json, RegExp]>([
    [{ role: 'developer', content: 'x' }, /"role" must be one of/],
    [{ role: 'tool', content: 'x' }, /must be an array of parts/],
    [{ role: 'user' }, /must be a string or an array of parts/],
    [{ role: 'system', content: [{ type: 'text', text: 'x' }] }, /must be a string/],
    [says({ type: 'tool-call', toolName: 'bash' }), /"toolCallId" must be/],
    [tool({ type: 'tool-result', toolCallId: 'a' }), /"output" of a tool result/],
  ])('%j is refused', (item, message) => {
    expect(codec.check(item)).toMatchObject([{ message: expect.stringMatching(message) }]);
  });

  test('a file travels to another format and back', () => {
    const data = 'JVBERi0xLjQ=';
    const file = { type: 'file', data, mediaType: 'application/pdf', filename: 'a.pdf' };
    const image = { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' };
    const chat = codecFor('openai-chat').encode(
      codec.normalise({ role: 'user', content: [file, image] }),
    );
    expect(chat).toMatchObject([
      {
        content: [
          { type: 'file', file: { filename: 'a.pdf' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
    ]);
    const back = chat.flatMap((item) => codec.encode(codecFor('openai-chat').normalise(item)));
    expect(back).toEqual([{ role: 'user', content: [file, image] }]);
  });
});
