import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { jsonLines, readOne } from '../importers/fixtures.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, text, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let sessions = 0;
/** What a context after a full compaction shows of the file. */
async function shown(items: Item[], path: string): Promise<string> {
  const id = `client-says-${sessions++}`;
  const config = { auto_compact_enabled: false, protected_tokens: null };
  const body = { id, format: 'anthropic', profile: 'default', context_window: 200_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const talk = { role: 'assistant', content: ofTokens(2_000) };
  const all = [user('Go.'), ...items, talk, user('Go on.'), talk, user('And on.')];
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: all })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
  const { body: context } = await send(api, 'GET', `/sessions/${id}/context`);
  const contents = JSON.stringify(context.items);
  expect(contents).toContain('And on.');
  const start = contents.indexOf(`File ${path} (`);
  return start === -1
    ? ''
    : (contents.slice(start).split('"')[0] ?? '').replaceAll('\\n', '\n').replace(/^.*\n/, '');
}

const PATH = '/repo/src/server.ts';
const numbered = (lines: readonly string[], from = 1, divider = '→') =>
  lines.map((line, at) => `${String(from + at).padStart(6)}${divider}${line}`).join('\n');
const LINES = Array.from({ length: 40 }, (_, at) => `const value${at + 1} = ${at + 1};`);
const LONG = `${LINES.join('\n')}\n`;
const read = (content: string, path = PATH): Item[] => [
  call('r', 'Read', { file_path: path }),
  result('r', numbered(content.split('\n'))),
];
const reminder = (said: string) => `<system-reminder>\n${said}\n</system-reminder>`;
const modified = (snippet: string, path = PATH) =>
  `Note: ${path} was modified, either by the user or by a linter. This change was intentional, so make sure to take it into account as you proceed (ie. don't revert it unless the user asks you to). Don't tell the user this, since they are already aware. Here are the relevant changes (shown with line numbers):\n${snippet}`;
/** The lines 10 and 11 have become three, and line 30 another. */
const NOW = [
  ...LINES.slice(0, 9),
  'const ten = 10;',
  'const half = 10.5;',
  'const eleven = 11;',
  ...LINES.slice(11, 29),
  'const thirty = 30;',
  ...LINES.slice(30),
];
const SNIPPET = `${numbered(NOW.slice(5, 17), 6)}\n...\n${numbered(NOW.slice(26, 36), 27)}`;

describe('B2: what the client says of a file is newer than what was read', () => {
  it.each([
    ['in a reminder', user([text(reminder(modified(SNIPPET))), text('Now the docs.')])],
    ['in the words of the user', user(`${reminder(modified(SNIPPET))}\nNow the docs.`)],
    ['without its tags', user(modified(SNIPPET))],
    ['with a tab after the number', user(reminder(modified(SNIPPET.replaceAll('→', '\t'))))],
  ])('Claude Code: lines that were changed outside, %s', async (_, note) => {
    expect(await shown([...read(LONG), note], PATH)).toBe(`${NOW.join('\n')}\n`);
  });

  it.each([
    ['lines that cannot be placed', modified(numbered(['const port = 9090;']))],
    ['more lines than it shows', modified(`${SNIPPET}\n... [24 lines truncated] ...`)],
    [
      'none at all',
      `Note: ${PATH} was modified, either by the user or by a linter. The diff was omitted; use the Read tool if you need the current content.`,
    ],
  ])('Claude Code: %s', async (_, note) => {
    const before = 'const port = 8080;\nexport default port;\n';
    expect(await shown([...read(before), user(reminder(note))], PATH)).toBe(
      `[may have changed since: a change by the user or a linter]\n${before}`,
    );
  });

  it('Claude Code: in the result of the call that has noticed it', async () => {
    const noticed = [
      call('b', 'Bash', { command: 'npm test' }),
      result('b', `ok\n\n${reminder(modified(SNIPPET))}`),
    ];
    expect(await shown([...read(LONG), ...noticed], PATH)).toContain('[may have changed since: ');
  });

  it('a note about what is known already changes nothing', async () => {
    const note = user(reminder(modified(numbered(LINES.slice(0, 12)))));
    expect(await shown([...read(LONG), note], PATH)).toBe(LONG);
  });

  it('a read after the note is the newest', async () => {
    const note = user(reminder(modified(numbered(['x']))));
    expect(await shown([...read(LONG), note, ...read('y\n')], PATH)).toBe('y\n');
  });

  it('words that the user quotes are no note', async () => {
    const quoted = user(`Why does it say this?\n\n${modified(SNIPPET)}`);
    expect(await shown([...read(LONG), quoted], PATH)).toBe(LONG);
  });

  it('an imported session of Claude Code', async () => {
    const [used, answered] = read(LONG);
    const line = (uuid: string, parentUuid: string | null, rest: object) => ({
      uuid,
      parentUuid,
      sessionId: 's',
      ...rest,
    });
    const lines = [
      line('1', null, { type: 'user', message: { role: 'user', content: 'Go.' } }),
      line('2', '1', { type: 'assistant', message: { id: 'm', ...used } }),
      line('3', '2', { type: 'user', message: answered }),
      line('4', '3', {
        type: 'attachment',
        attachment: { type: 'edited_text_file', filename: PATH, snippet: SNIPPET },
      }),
    ];
    const { items } = readOne('x.jsonl', jsonLines(lines));
    expect(await shown(items, PATH)).toBe(`${NOW.join('\n')}\n`);
  });

  it.each([
    [
      'Claude Code',
      [
        reminder(`Called the Read tool with the following input: {"file_path":"${PATH}"}`),
        reminder(`Result of calling the Read tool: ${JSON.stringify(numbered(NOW))}`),
        'I have changed @src/server.ts: is that right?',
      ],
    ],
    [
      'opencode',
      [
        'I have changed @src/server.ts: is that right?',
        `Called the Read tool with the following input: {"filePath":"${PATH}"}`,
        `<file>\n${NOW.map((line, at) => `${String(at + 1).padStart(5, '0')}| ${line}`).join('\n')}\n\n(End of file - total ${NOW.length} lines)\n</file>`,
      ],
    ],
  ])('%s: a file that the user names with @ is as it is shown then', async (_, parts) => {
    const file = await shown([...read(LONG), user(parts.map(text))], PATH);
    expect(file).toBe(NOW.join('\n'));
  });

  it('Cline: a file that has changed since', async () => {
    const surroundings =
      '<environment_details>\n# VSCode Visible Files\nsrc/server.ts\n\n# Recently Modified Files\nThese files have been modified since you last accessed them (file was just edited so you may need to re-read it before editing):\nsrc/server.ts\n\n# Current Time\n11/22/2026\n</environment_details>';
    const read: Item[] = [
      call('r', 'write_to_file', { path: 'src/server.ts', content: LONG }),
      result('r', 'The content was successfully saved to src/server.ts.'),
    ];
    const note = user([text('Go on.'), text(surroundings)]);
    expect(await shown([...read, note], 'src/server.ts')).toContain('[may have changed since: ');
  });
});
