import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import {
  assistant as codexAssistant,
  call as codexCall,
  user as codexUser,
  output,
  printed,
} from '../conformance/codex-v2/lab.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const FILE = 'src/gone.ts';

const chatCall = (name: string, input: JsonObject): Item => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'r', type: 'function', function: { name, arguments: JSON.stringify(input) } }],
});
const chatResult = (content: string): Item => ({ role: 'tool', tool_call_id: 'r', content });

type Case = [name: string, format: string, items: Item[]];

const responses = (name: string, tool: string, input: JsonObject, text: string): Case => [
  name,
  'openai-responses',
  [
    codexUser('Read it.'),
    codexAssistant(ofTokens(3_000)),
    codexCall('r', tool, input),
    output('r', text),
  ],
];
const chat = (name: string, tool: string, input: JsonObject, text: string): Case => [
  name,
  'openai-chat',
  [user('Read it.'), assistant(ofTokens(3_000)), chatCall(tool, input), chatResult(text)],
];
const anthropic = (name: string, tool: string, input: JsonObject, text: string): Case => [
  name,
  'anthropic',
  [user('Read it.'), assistant(ofTokens(3_000)), call('r', tool, input), result('r', text)],
];

const ENOENT = `Error: ENOENT: no such file or directory, open '${FILE}'`;
const CASES: Case[] = [
  anthropic(
    'cat of Claude Code without output',
    'Bash',
    { command: `cat ${FILE}` },
    '(Bash completed with no output)',
  ),
  anthropic(
    'cat of Claude Code in the background',
    'Bash',
    { command: `cat ${FILE}`, run_in_background: true },
    'Command running in background with ID: b8f3a1. Output is being written to: b8f3a1.output',
  ),
  chat(
    'a read that was not allowed',
    'Read',
    { file_path: FILE },
    `Claude requested permissions to read from ${FILE}, but you haven't granted it yet.`,
  ),
  responses('pi reads what is not there', 'read', { path: FILE }, ENOENT),
  responses('with a stack', 'read', { path: FILE }, `${ENOENT}\n    at open (node:fs:561:3)\n`),
  responses(
    'cat of Codex',
    'exec_command',
    { cmd: `cat ${FILE}` },
    printed(`cat: ${FILE}: No such file or directory`, 1),
  ),
  responses(
    'sed of Codex',
    'exec_command',
    { cmd: `sed -n '1,9p' ${FILE}` },
    printed(`sed: can't read ${FILE}: No such file or directory`, 2),
  ),
  responses(
    'sed of an older Codex',
    'shell',
    { command: ['bash', '-lc', `cat ${FILE}`] },
    JSON.stringify({
      output: `cat: ${FILE}: No such file or directory\n`,
      metadata: { exit_code: 1, duration_seconds: 0 },
    }),
  ),
  responses(
    'without a wrapper',
    'shell',
    { command: ['cat', FILE] },
    `cat: ${FILE}: No such file or directory\n`,
  ),
  responses(
    'a command that runs on',
    'exec_command',
    { cmd: `cat ${FILE}` },
    'Chunk ID: 9c921d\nWall time: 1.0009 seconds\nProcess running with session ID 14210\nOriginal token count: 0\nOutput:\n',
  ),
  chat('Gemini CLI', 'read_file', { file_path: FILE }, `File not found: /w/${FILE}`),
  chat(
    'mini-swe-agent',
    'bash',
    { command: `cat ${FILE}` },
    `<returncode>1</returncode>\n<output>\ncat: ${FILE}: No such file or directory\n</output>`,
  ),
  chat('Copilot CLI', 'view', { path: FILE }, 'Path does not exist'),
  chat(
    'SWE-agent',
    'open',
    { path: FILE },
    `File ${FILE} not found\n(Open file: n/a)\n(Current directory: /testbed)\nbash-$`,
  ),
  chat(
    'a permission',
    'read_file',
    { path: FILE },
    `PermissionError: [Errno 13] Permission denied: '${FILE}'`,
  ),
  chat(
    'a list of files',
    'str_replace_editor',
    { command: 'view', path: 'src' },
    `Here's the files and directories up to 2 levels deep in src, excluding hidden items:\nsrc\n${FILE}`,
  ),
  chat(
    'an interrupted call',
    'read_file',
    { path: FILE },
    '[Request interrupted by user for tool use]',
  ),
  anthropic(
    'Claude Code without its flag',
    'Read',
    { file_path: FILE },
    '<tool_use_error>File does not exist.</tool_use_error>',
  ),
  anthropic(
    'a file that is too large',
    'Read',
    { file_path: FILE },
    'File content (28375 tokens) exceeds maximum allowed tokens (25000). Please use offset and limit parameters.',
  ),
  anthropic(
    'a note that nothing is new',
    'Read',
    { file_path: FILE },
    'File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current.',
  ),
  anthropic(
    'a note that nothing is new, of Claude Code since 2.1.200',
    'Read',
    { file_path: FILE },
    'Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.',
  ),
  anthropic(
    'a result that its client has cleared',
    'Read',
    { file_path: FILE },
    '[Old tool result content cleared]',
  ),
  anthropic(
    'an offset after the end',
    'Read',
    { file_path: FILE, offset: 900 },
    '<system-reminder>Warning: the file exists but is shorter than the provided offset (900). The file has 89 lines.</system-reminder>',
  ),
];

describe('B3: a failed read is never restored as a file', () => {
  it.each(CASES)('%s (%s)', async (name, format, items) => {
    const id = name.replaceAll(/\W/g, '-');
    const config = { auto_compact_enabled: false, protected_tokens: null };
    for (const profile of ['codex-v2', 'default']) {
      const body = { id: `${id}-${profile}`, format, profile, context_window: 200_000, config };
      expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
      const posted = await send(api, 'POST', `/sessions/${body.id}/items`, { body: items });
      expect(posted.status).toBe(201);
      const reply = await send(api, 'POST', `/sessions/${body.id}/compact`, {
        body: { mode: 'full' },
      });
      await api.work(api.dispatched.at(-1));
      const done = await send(api, 'GET', `/sessions/${body.id}/compactions/${reply.body.id}`);
      expect(done.body).toMatchObject({ outcome: 'full_compacted' });
      const { body: context } = await send(api, 'GET', `/sessions/${body.id}/context`);
      expect(JSON.stringify(context)).not.toContain('(as last known)');
    }
  });

  it('and a file that was read before stays what it was', async () => {
    const items = [
      codexUser('Read it.'),
      codexAssistant(ofTokens(3_000)),
      codexCall('1', 'exec_command', { cmd: `cat ${FILE}` }),
      output('1', printed('export const a = 1;')),
      codexCall('2', 'exec_command', { cmd: `cat ${FILE} missing.ts` }),
      output('2', printed('cat: missing.ts: No such file or directory', 1)),
    ];
    const body = { id: 'before', format: 'openai-responses', profile: 'codex-v2' };
    await send(api, 'POST', '/sessions', { body });
    await send(api, 'POST', '/sessions/before/items', { body: items });
    await send(api, 'POST', '/sessions/before/compact', { body: { mode: 'full' } });
    await api.work(api.dispatched.at(-1));
    const { body: context } = await send(api, 'GET', '/sessions/before/context');
    expect(JSON.stringify(context)).toContain(
      `File ${FILE} (as last known):\\nexport const a = 1;`,
    );
  });
});
