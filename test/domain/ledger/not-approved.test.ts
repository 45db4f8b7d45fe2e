import { expect, test } from 'vitest';
import type { Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import { ledgerOf, normalised } from '../../support/log-items.ts';

// As the programs write it where the user does not let a call through, and why.

const asked = { role: 'user', content: 'Tidy the reservations.' };
const request = (approve: boolean, reason: string): Item[] => [
  {
    type: 'mcp_approval_request',
    id: 'mcpr_1',
    server_label: 'shop',
    name: 'cancel_reservation',
    arguments: '{"id":"R-7780"}',
  },
  { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve, reason },
];
const denied = (output: JsonObject): Item[] => [
  {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'cancel_order', input: { order: 7 } },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'cancel_order', output }],
  },
];
const called = (output: string): Item[] => [
  { type: 'function_call', call_id: 'c1', name: 'cancel_order', arguments: '{"order":7}' },
  { type: 'function_call_output', call_id: 'c1', output },
];

test.each<[string, Format, Item[], string[]]>([
  ['an approval', 'openai-responses', request(false, 'Keep R-7780.'), ['Keep R-7780.']],
  ['an approval without a reason', 'openai-responses', request(false, ''), []],
  ['the AI SDK', 'ai-sdk', denied({ type: 'execution-denied', reason: 'Keep it.' }), ['Keep it.']],
  ['the AI SDK without a reason', 'ai-sdk', denied({ type: 'execution-denied' }), []],
  ['the AI SDK on the wire', 'openai-responses', called('Tool call execution denied.'), []],
  ['the Agents SDK', 'openai-responses', called('Tool execution was not approved.'), []],
])('%s', (_, format, items, reasons) => {
  const { failures, requests, tools } = ledgerOf(normalised(format, [asked, ...items]));
  expect(failures).toMatchObject([{ is_refused: true }]);
  expect(requests.slice(1).map(({ text }) => text)).toEqual(reasons);
  expect(tools.flatMap(({ changed = [] }) => changed)).toEqual([]);
});

test('what the user says with an approval is theirs, and nothing is refused', () => {
  const items = [asked, ...request(true, 'But only this one.')];
  const { failures, requests } = ledgerOf(normalised('openai-responses', items));
  expect(failures).toEqual([]);
  expect(requests.map(({ text }) => text).at(-1)).toBe('But only this one.');
});

test('which of several calls was refused is told', () => {
  const { failures } = ledgerOf(
    normalised('openai-responses', [asked, ...called('Tool execution was not approved.')]),
  );
  expect(failures).toMatchObject([{ what: 'cancel_order ({"order":7})' }]);
});
