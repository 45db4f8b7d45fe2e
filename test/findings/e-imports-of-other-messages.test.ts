import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importTranscript } from '../../src/cli/import-transcript.ts';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { type ApiServer, send } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import { contextOf, openSession, startForLongSessions } from '../support/long-sessions.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startForLongSessions();
});
afterAll(() => api.close());

/** What Cline keeps as `api_conversation_history.json`. */
const CLINE = [
  { role: 'user', content: [{ type: 'text', text: '<task>\nFix the login.\n</task>' }], ts: 1 },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.ts' } }],
    ts: 2,
  },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'const a = 1;' }],
    ts: 3,
  },
];
const PICTURES = [
  { role: 'user', content: 'hi' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'plan', signature: 'S' },
      { type: 'text', text: 'hello' },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'text', text: 'what is it' },
    ],
  },
];
const REQUEST = {
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'hi' }],
};
const RESPONSES = [
  { role: 'user', content: 'List.' },
  { type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', output: 'a.ts' },
];
const goose = (value: unknown) => [
  { working_dir: '/r', description: 'x', message_count: 3 },
  { role: 'user', created: 1, content: [{ type: 'text', text: 'List the files.' }] },
  {
    role: 'assistant',
    created: 2,
    content: [
      {
        type: 'toolRequest',
        id: 't1',
        toolCall: {
          status: 'success',
          value: { name: 'developer__shell', arguments: { command: 'ls' } },
        },
      },
    ],
  },
  {
    role: 'user',
    created: 3,
    content: [{ type: 'toolResponse', id: 't1', toolResult: { status: 'success', value } }],
  },
];
const lines = (records: readonly object[]) => records.map((one) => JSON.stringify(one)).join('\n');
const listed = [{ type: 'text', text: 'a.ts' }];

const FILES: [string, string, string, string][] = [
  ['the history of Cline', JSON.stringify(CLINE), 'anthropic-messages', 'anthropic'],
  ['the same as lines', lines(CLINE), 'anthropic-messages', 'anthropic'],
  ['thinking and pictures', JSON.stringify(PICTURES), 'anthropic-messages', 'anthropic'],
  ['a request to Anthropic', JSON.stringify(REQUEST), 'anthropic-messages', 'anthropic'],
  ['items of the Responses API', JSON.stringify(RESPONSES), 'openai-responses', 'openai-responses'],
  [
    'a request to the Responses API',
    JSON.stringify({ model: 'gpt-5', input: RESPONSES }),
    'openai-responses',
    'openai-responses',
  ],
  ['a session of goose', lines(goose(listed)), 'goose', 'anthropic'],
  ['one of a newer goose', lines(goose({ content: listed, isError: false })), 'goose', 'anthropic'],
  [
    'an export of goose',
    JSON.stringify({ id: 'g', conversation: goose(listed).slice(1) }),
    'goose',
    'anthropic',
  ],
];

describe('E: a transcript is imported in the format that it has', () => {
  it.each(FILES)('%s', async (_, text, source, format) => {
    const [read, ...others] = readTranscripts('x.json', text);
    expect(others).toEqual([]);
    expect(read).toMatchObject({ source, format });
    const id = await openSession(api, read?.items ?? [], { format });
    const context = await contextOf(api, id);
    expect(
      providerProblems(format === 'anthropic' ? format : 'openai-responses', context, {
        isConverted: false,
      }),
    ).toEqual([]);
    // Nothing that was said, called or answered is lost.
    for (const said of ['a.ts', 'hello']) {
      if (text.includes(said)) expect(JSON.stringify(context)).toContain(said);
    }
  });

  it.each([
    ['an error', { status: 'error', error: 'command failed' }],
    ['an error of a tool', { status: 'success', value: { content: listed, isError: true } }],
  ])('%s of goose stays one', (_, toolResult) => {
    const [head, ask, call] = goose(listed);
    const answer = {
      role: 'user',
      created: 3,
      content: [{ type: 'toolResponse', id: 't1', toolResult }],
    };
    const [read] = readTranscripts('g.jsonl', lines([head ?? {}, ask ?? {}, call ?? {}, answer]));
    expect(read?.items.at(-1)).toMatchObject({
      content: [{ type: 'tool_result', is_error: true }],
    });
  });

  it('chat messages are still chat messages', () => {
    const chat = [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: 'hello' },
    ];
    expect(readTranscripts('x.json', JSON.stringify(chat))[0]?.format).toBe('openai-chat');
  });
});

describe('E: an import that fails', () => {
  it('says what to do with the file, and says the same at the next try', () => {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-import-'));
    const file = join(folder, 'mixed.json');
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const mixed = [...CLINE, { role: 'assistant', content: null, tool_calls: [call] }];
    writeFileSync(file, JSON.stringify(mixed));
    const env = { ...process.env, DATABASE_URL: `file:${join(folder, 'p.db')}` };
    const run = () => {
      try {
        const args = ['dist/cli.js', 'import', file];
        return execFileSync(process.execPath, args, { env, encoding: 'utf8', stdio: 'pipe' });
      } catch (error) {
        return String((error as { stderr?: string }).stderr);
      }
    };
    const first = run();
    expect(first).toContain('holds messages of several formats');
    expect(first).not.toContain('POST /sessions');
    expect(run()).toBe(first);
  });

  it('leaves no session behind', async () => {
    const [read] = readTranscripts('broken-off.json', JSON.stringify(CLINE));
    if (read === undefined) throw new Error('nothing was read');
    let appends = 0;
    const target = {
      request: async (path: string, init?: RequestInit) => {
        if (path.endsWith('/items') && appends++ === 0) return new Response('{}', { status: 503 });
        return fetch(api.url + path, init);
      },
      place: 'a service that fails',
      local: null,
      close: async () => {},
    };
    const options = { idPrefix: '' };
    await expect(importTranscript(target, read, options, () => {})).rejects.toThrow('503');
    expect((await send(api, 'GET', '/sessions/broken-off')).status).toBe(404);
    await expect(importTranscript(target, read, options, () => {})).resolves.toMatchObject({
      id: 'broken-off',
    });
    // A session of that name that holds the same is left as it is.
    await expect(importTranscript(target, read, options, () => {})).resolves.toMatchObject({
      appended: 0,
    });
    expect((await send(api, 'GET', '/sessions/broken-off')).status).toBe(200);
  });
});
