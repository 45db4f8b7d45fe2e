import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let sessions = 0;
/** What a context after a full compaction shows of the file. */
async function shown(name: string, input: JsonObject, answer: string, path: string) {
  const id = `around-${sessions++}`;
  const config = { auto_compact_enabled: false, protected_tokens: null };
  const body = { id, format: 'anthropic', profile: 'default', context_window: 200_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const talk = { role: 'assistant', content: ofTokens(2_000) };
  const read = [call('r', name, input), result('r', answer)];
  const all = [user('Go.'), ...read, talk, user('Go on.'), talk, user('And on.')];
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: all })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
  const { body: context } = await send(api, 'GET', `/sessions/${id}/context`);
  const contents = JSON.stringify(context.items);
  expect(contents).toContain('And on.');
  const start = contents.indexOf(`File ${path} (`);
  const file = start === -1 ? null : contents.slice(start).split(/(?<!\\)"/)[0];
  return file?.replaceAll('\\n', '\n').replace(/^.*\n/, '') ?? null;
}

const PATH = '/repo/src/server.ts';
const FILE = 'const port = 8080;\n\nexport default port;';

describe('B3: what is restored is the file and nothing that its tool has put around it', () => {
  it.each<[string, string, JsonObject, string]>([
    [
      'Claude Code',
      'Read',
      { file_path: PATH },
      '     1→const port = 8080;\n     2→\n     3→export default port;',
    ],
    ['VS Code', 'read_file', { filePath: PATH }, `\`\`\`ts\n${FILE}\n\`\`\``],
    [
      'VS Code, four fences',
      'read_file',
      { filePath: PATH },
      `\`\`\`\`typescript\n// filepath: ${PATH}\n${FILE}\n\`\`\`\``,
    ],
    [
      'VS Code, with a heading',
      'read_file',
      { filePath: PATH, startLine: 1, endLine: 3 },
      `File: \`${PATH}\`. Lines 1 to 3 (3 lines total): \n\`\`\`ts\n${FILE}\n\`\`\``,
    ],
    [
      'Cursor',
      'read_file',
      { target_file: PATH },
      '     1|const port = 8080;\n     2|\n     3|export default port;',
    ],
    [
      'Cursor',
      'Read',
      { path: PATH },
      '     1|const port = 8080;\n     2|\n     3|export default port;',
    ],
    [
      'Roo Code',
      'read_file',
      { path: PATH },
      `<files>\n<file><path>src/server.ts</path>\n<content lines="1-3">\n1 | const port = 8080;\n2 | \n3 | export default port;\n</content>\n</file>\n</files>`,
    ],
    [
      'Roo Code, files',
      'read_file',
      { args: { file: [{ path: PATH }] } },
      `<files>\n<file><path>${PATH}</path>\n<content lines="1-3">\n 1 | const port = 8080;\n 2 | \n 3 | export default port;\n</content>\n</file>\n</files>`,
    ],
    [
      'Cline',
      'read_file',
      { path: PATH },
      `<file_content path="src/server.ts">\n${FILE}\n</file_content>`,
    ],
    [
      'goose',
      'developer__text_editor',
      { command: 'view', path: PATH },
      `### ${PATH}\n\`\`\`ts\n1: const port = 8080;\n2: \n3: export default port;\n\`\`\``,
    ],
    [
      'Codex',
      'read_file',
      { file_path: PATH },
      'L1: const port = 8080;\nL2: \nL3: export default port;',
    ],
  ])('%s: %s', async (_, name, input, answer) => {
    expect(await shown(name, input, answer, PATH)).toBe(FILE);
  });

  it('a part of a file names its lines', async () => {
    const answer = `File: \`${PATH}\`. Lines 5 to 7 (90 lines total): \n\`\`\`ts\n${FILE}\n\`\`\``;
    const file = await shown(
      'read_file',
      { filePath: PATH, startLine: 5, endLine: 7 },
      answer,
      PATH,
    );
    expect(file).toMatch(/^\[lines 5–7 of \d+\]\n/);
    expect(file).not.toContain('```');
  });

  it.each([
    ['a tag that is not known', `<document>\n${FILE}\n</document>`],
    ['numbers of another kind', '1:const port = 8080;\n2:\n3:export default port;'],
  ])('%s is no file', async (_, answer) => {
    expect(await shown('read_file', { path: PATH }, answer, PATH)).toBeNull();
  });

  it.each([
    ['/repo/page.html', '<html>\n<body>Hi</body>\n</html>'],
    ['/repo/data.psv', '1|one\n2|two\n3|three'.replace(/\d\|/g, 'x|')],
    ['/repo/notes.md', '# Notes\n\n```sh\nls\n```'],
  ])('a file that looks so itself stays whole: %s', async (path, content) => {
    expect(await shown('read_file', { path }, content, path)).toBe(content);
  });
});
