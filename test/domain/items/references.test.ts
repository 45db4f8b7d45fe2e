import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { openaiResponsesCodec } from '../../../src/domain/items/openai-responses/codec.ts';
import { withReferred } from '../../../src/domain/items/openai-responses/references.ts';

const ref = (id: string): Item => ({ type: 'item_reference', id });
const user = (content: string): Item => ({ role: 'user', content });
const call = (call_id: string): Item => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name: 'read',
  arguments: '{}',
});
const output = (call_id: string): Item => ({ type: 'function_call_output', call_id, output: 'x' });
const unknownCall = (call_id: string): Item => ({
  type: 'function_call',
  call_id,
  name: 'unknown',
  arguments: '{}',
});
const reasoning: Item = { type: 'reasoning', id: 'rs_1', summary: [] };

describe('references to items that the provider keeps', () => {
  it('are the items themselves where they are known, once each', () => {
    const items = [user('Hello'), ref('rs_1'), ref('fc_a'), output('a'), ref('fc_a')];
    const known = new Map([
      ['rs_1', reasoning],
      ['fc_a', call('a')],
    ]);
    expect(withReferred(items, known)).toEqual([user('Hello'), reasoning, call('a'), output('a')]);
  });

  it('are calls without arguments where only their results are known, in their order', () => {
    const items = [
      user('Hello'),
      ref('rs_1'),
      ref('msg_1'),
      ref('fc_a'),
      ref('fc_b'),
      output('a'),
      output('b'),
      ref('ctc_c'),
      { type: 'custom_tool_call_output', call_id: 'c', output: 'y' },
    ];
    const made = withReferred(items, new Map());
    expect(made).toEqual([
      user('Hello'),
      {
        type: 'message',
        role: 'assistant',
        content: [
          {
            type: 'output_text',
            text: '[item msg_1 of this conversation is kept by its provider alone]',
          },
        ],
      },
      unknownCall('a'),
      unknownCall('b'),
      output('a'),
      output('b'),
      { type: 'custom_tool_call', call_id: 'c', name: 'unknown', input: '' },
      items[8],
    ]);
    // A longer history begins the same.
    const longer = withReferred([...items, user('Go on'), ref('fc_d'), output('d')], new Map());
    expect(longer.slice(0, made.length)).toEqual(made);
  });

  it('take no result that is another call’s, nor one behind another message', () => {
    const items = [ref('fc_a'), call('b'), output('b'), user('Go on'), output('c')];
    const [note, ...rest] = withReferred(items, new Map());
    expect(note).toMatchObject({ role: 'assistant' });
    expect(rest).toEqual(items.slice(1));
  });

  it.each([[['rs_1', 'fc_a', 'msg_2']], [['fc_a']], [[]]])(
    'make a valid context, whatever is known of them: %j',
    (ids) => {
      const all = new Map<string, Item>([
        ['rs_1', reasoning],
        ['fc_a', call('a')],
        [
          'msg_2',
          {
            type: 'message',
            id: 'msg_2',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'No.' }],
          },
        ],
      ]);
      const known = new Map([...all].filter(([id]) => ids.includes(id)));
      const items = [
        user('Hello'),
        ref('rs_1'),
        ref('fc_a'),
        output('a'),
        ref('ws_1'),
        ref('ws_1'),
        ref('msg_2'),
        user('Go on'),
      ];
      const made = withReferred(items, known);
      expect(made.flatMap((item) => openaiResponsesCodec.check(item))).toEqual([]);
      const rendered = openaiResponsesCodec.render(made);
      expect(openaiResponsesCodec.violations(rendered)).toEqual([]);
      expect(rendered).toContainEqual(output('a'));
    },
  );
});
