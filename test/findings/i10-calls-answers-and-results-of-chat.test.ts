import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { ApiServer } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import type { WireFormat } from '../support/foreign/request-types.ts';
import {
  afterCompaction,
  contextOf,
  openSession,
  startForLongSessions,
} from '../support/long-sessions.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startForLongSessions();
});
afterAll(() => api.close());

const FORMATS: WireFormat[] = ['anthropic', 'openai-chat', 'openai-responses'];
const user = (content: Item['content'] = ''): Item => ({ role: 'user', content });

/** The context in a format, which its provider has to take. */
async function shown(format: string, items: readonly Item[], target: WireFormat): Promise<Item[]> {
  const id = await openSession(api, items, { format });
  const context = await contextOf(api, id, `?format=${target}`);
  expect(providerProblems(target, context, { isConverted: target !== format })).toEqual([]);
  return context;
}

describe('I10: a call without arguments', () => {
  const chat = (text: string): Item[] => [
    user('List.'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'list_files', arguments: text } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'a.ts' },
  ];
  const responses = (text: string): Item[] => [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'list_files', arguments: text },
    { type: 'function_call_output', call_id: 'call_1', output: 'a.ts' },
  ];
  const legacy = (text: string): Item[] => [
    user('List.'),
    { role: 'assistant', content: null, function_call: { name: 'list_files', arguments: text } },
    { role: 'function', name: 'list_files', content: 'a.ts' },
  ];
  const cases = [
    ['openai-chat', chat],
    ['openai-chat', legacy],
    ['openai-responses', responses],
  ] as const;
  describe.each(cases)('of %s', (format, session) => {
    it.each(['', ' \n'])('%j has none in the other formats', async (text) => {
      const others = FORMATS.filter((target) => target !== format);
      for (const target of others) {
        const context = JSON.stringify(await shown(format, session(text), target));
        expect(context).toMatch(target === 'anthropic' ? /"input":\{\}/ : /"arguments":"\{\}"/);
      }
    });
  });
});

describe('I10: an answer that the assistant has spoken', () => {
  const spoken = (n: number): Item => ({
    role: 'assistant',
    content: null,
    refusal: null,
    audio: {
      id: `audio_${n}`,
      data: 'UklGRg==',
      expires_at: 1_764_000_000,
      transcript: `The answer number ${n} is ${n * 37}.`,
    },
  });
  const items = [user('Say it.'), spoken(3), user('Thanks.')];

  it.each(['anthropic', 'openai-responses'] as const)('is text in %s', async (format) => {
    const context = JSON.stringify(await shown('openai-chat', items, format));
    expect(context).toContain('The answer number 3 is 111.');
  });
  it('is the audio that it was in its own format', async () => {
    const [, answer] = await shown('openai-chat', items, 'openai-chat');
    expect(answer).toMatchObject({ role: 'assistant', audio: { id: 'audio_3' } });
  });
  it('is in the summary', async () => {
    const talk = Array.from({ length: 30 }, (_, n) => [
      user(`Question ${n} ${'word '.repeat(200)}`),
      spoken(n),
    ]).flat();
    const context = await afterCompaction(api, [...talk, user('Thanks.')], {
      format: 'openai-chat',
      context_window: 16_000,
    });
    expect(JSON.stringify(context)).toMatch(/The answer number \d+ is/);
  });
  it('stands once where the content says it as well', async () => {
    const both = { ...spoken(3), content: 'The answer number 3 is 111.' };
    const context = JSON.stringify(
      await shown('openai-chat', [user('Say it.'), both], 'anthropic'),
    );
    expect(context.match(/The answer/g)).toHaveLength(1);
  });
});

describe('I10: pictures, files and sound in tool messages of Chat Completions', () => {
  const PNG = 'data:image/png;base64,iVBORw0KGgo=';
  const call = (id: string): Item => ({
    id,
    type: 'function',
    function: { name: 'screenshot', arguments: '{}' },
  });
  const parts: [string, Item][] = [
    ['image_url', { type: 'image_url', image_url: { url: PNG } }],
    [
      'file',
      {
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      },
    ],
    ['input_audio', { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }],
  ];
  it.each(parts)('%s goes into a message of the user after all results', async (_, part) => {
    const items = [
      user('Look at both.'),
      { role: 'assistant', content: null, tool_calls: [call('c1'), call('c2')] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'Here:' }, part] },
      { role: 'tool', tool_call_id: 'c2', content: 'nothing' },
      { role: 'assistant', content: 'I see.' },
    ];
    const context = await shown('openai-chat', items, 'openai-chat');
    expect(context.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
      'assistant',
    ]);
    expect(context[4]).toEqual({ role: 'user', content: [part] });
    expect(context[2]?.content).toMatchObject([{ type: 'text', text: 'Here:' }, { type: 'text' }]);
  });
  it('a result that is nothing but a picture keeps a note', async () => {
    const items = [
      user('Look.'),
      { role: 'assistant', content: null, tool_calls: [call('c1')] },
      { role: 'tool', tool_call_id: 'c1', content: [parts[0]?.[1] ?? {}] },
    ];
    const context = await shown('openai-chat', items, 'openai-chat');
    expect(context.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '[image]' }] },
      { role: 'user', content: [parts[0]?.[1]] },
    ]);
  });
});
