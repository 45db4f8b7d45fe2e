import { describe, expect, test } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import { providerProblems } from '../../support/foreign/context-rules.ts';

const ERROR = { type: 'web_fetch_tool_result_error', error_code: 'unavailable' };
const FOUND = { type: 'web_search_result', title: 'Pools', url: 'https://db.example' };

const CASES: [string, JsonObject, string[]][] = [
  [
    'a call',
    { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'pool' } },
    ['[web_search was called with {"query":"pool"}]'],
  ],
  [
    'its result, without what is encrypted',
    {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: [{ ...FOUND, encrypted_content: 'Secret' }],
    },
    ['[web_search answered:]\nPools\nhttps://db.example'],
  ],
  [
    'a failure',
    { type: 'web_fetch_tool_result', tool_use_id: 's', content: ERROR },
    ['[web_fetch failed:]\nunavailable'],
  ],
  [
    'a tool of an MCP server',
    { type: 'mcp_tool_use', id: 'm', name: 'ask', server_name: 'wiki', input: {} },
    ['[wiki__ask was called]'],
  ],
  [
    'what that has answered',
    { type: 'mcp_tool_result', tool_use_id: 'm', content: [{ type: 'text', text: 'Yes.' }] },
    ['[The MCP server answered:]\nYes.'],
  ],
  [
    'a call with its result',
    {
      type: 'mcp_call',
      id: 'm',
      server_label: 'wiki',
      name: 'ask',
      arguments: '{"q":1}',
      output: 'No.',
    },
    ['[wiki__ask was called with {"q":1}]', '[wiki__ask answered:]\nNo.'],
  ],
  [
    'a picture',
    { type: 'image_generation_call', id: 'i', status: 'completed', result: 'iVBORw0KGgo=' },
    ['[image_generation was called]', '[image_generation answered nothing that can be read here]'],
  ],
  [
    'tools of a server',
    {
      type: 'mcp_list_tools',
      id: 'l',
      server_label: 'wiki',
      tools: [{ name: 'ask' }, { name: 'tell' }],
    },
    ['[Tools of the MCP server wiki: ask, tell]'],
  ],
  [
    'a past that can be read',
    { type: 'compaction', content: 'They fixed the pool.' },
    ['They fixed the pool.'],
  ],
  [
    'a past that only its provider can read',
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'Secret' },
    ['[An earlier part of the conversation, which only its provider can read.]'],
  ],
];
const WAYS: [Format, Format][] = [
  ['anthropic', 'openai-chat'],
  ['anthropic', 'openai-responses'],
  ['openai-responses', 'openai-chat'],
  ['openai-responses', 'anthropic'],
];

describe.each(CASES)('%s', (_, json, texts) => {
  test.each(WAYS)('of %s reads as text in %s', (from, to) => {
    const item: Item = from === 'anthropic' ? { role: 'assistant', content: [json] } : json;
    const converted = codecFor(to).encode(codecFor(from).normalise(item));
    const content = converted.flatMap((message) =>
      typeof message.content === 'string' ? [{ text: message.content }] : (message.content ?? []),
    );
    expect(content).toMatchObject(texts.map((text) => ({ text })));
    const context = codecFor(to).render([{ role: 'user', content: 'Go on.' }, ...converted]);
    expect(providerProblems(to, context, { isConverted: true })).toEqual([]);
  });
});
