import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { ofTokens } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const FORMATS = ['anthropic', 'openai-chat', 'openai-responses'] as const;
type Format = (typeof FORMATS)[number];
type Use = [name: string, input: JsonObject, answer: string];

/** A tool that was called and has answered, as the format writes it. */
function used(format: Format, [name, input, answer]: Use, id: string): Item[] {
  const args = JSON.stringify(input);
  switch (format) {
    case 'anthropic':
      return [
        { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: answer }] },
      ];
    case 'openai-chat':
      return [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
        },
        { role: 'tool', tool_call_id: id, content: answer },
      ];
    case 'openai-responses':
      return [
        { type: 'function_call', call_id: id, name, arguments: args },
        { type: 'function_call_output', call_id: id, output: answer },
      ];
    default:
      return format satisfies never;
  }
}

let sessions = 0;
/** What a context after a full compaction shows of the file. */
async function shown(format: Format, uses: readonly Use[]): Promise<string> {
  const id = `any-tool-${sessions++}`;
  const config = { auto_compact_enabled: false, protected_tokens: null };
  const body = { id, format, profile: 'default', context_window: 200_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const items = [
    { role: 'user', content: 'Set the port.' },
    ...uses.flatMap((use, at) => used(format, use, `call_${at}`)),
    { role: 'assistant', content: ofTokens(2_000) },
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: ofTokens(2_000) },
    { role: 'user', content: 'And on.' },
  ];
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: items })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
  const { body: context } = await send(api, 'GET', `/sessions/${id}/context`);
  const text = JSON.stringify(context.items);
  expect(text).toContain('And on.');
  // Not where the summary tells what a tool has said of it.
  return (/File \/repo\/src\/server\.ts(?! has been)[^"]*/.exec(text)?.[0] ?? '').replaceAll(
    '\\n',
    '\n',
  );
}

const PATH = '/repo/src/server.ts';
const OLD = 'const port = 8080;';
const NEW = 'const port = 9090;';
const BEFORE = `${OLD}\nexport default port;\n`;
const AFTER = `${NEW}\nexport default port;\n`;
const WRITE: Use = ['create_file', { path: PATH, content: BEFORE }, `Created ${PATH}`];
const search = `------- SEARCH\n${OLD}\n=======\n${NEW}\n+++++++ REPLACE`;
const searchOfRoo = `<<<<<<< SEARCH\n:start_line:1\n-------\n${OLD}\n=======\n${NEW}\n>>>>>>> REPLACE`;
const patchText = `*** Begin Patch\n*** Update File: ${PATH}\n@@\n-${OLD}\n+${NEW}\n*** End Patch`;
const edit = { filePath: PATH, oldString: OLD, newString: NEW };

describe('B2: the edits of agents are replayed, whatever their tools are called', () => {
  it.each<[string, ...Use]>([
    [
      'opencode',
      'apply_patch',
      { patchText },
      'Success. Updated the following files:\nM src/server.ts',
    ],
    ['opencode', 'edit', edit, 'Edit applied successfully.'],
    ['opencode', 'multiedit', { filePath: PATH, edits: [edit] }, 'Edit applied successfully.'],
    [
      'VS Code',
      'multi_replace_string_in_file',
      { explanation: 'The port', replacements: [{ ...edit, explanation: 'The port' }] },
      `The following files were successfully edited:\n${PATH}`,
    ],
    [
      'VS Code',
      'replace_string_in_file',
      edit,
      `The following files were successfully edited:\n${PATH}`,
    ],
    ['Cline', 'replace_in_file', { path: PATH, diff: search }, 'The content was saved.'],
    [
      'Cline, saved otherwise',
      'write_to_file',
      { path: PATH, content: 'x' },
      `The content was successfully saved to ${PATH}.\n\nHere is the full, updated content of the file that was saved:\n\n<final_file_content path="src/server.ts">\n${AFTER}\n</final_file_content>\n\nIMPORTANT: For any future changes to this file, use the final_file_content shown above as your reference.`,
    ],
    ['Roo Code', 'apply_diff', { path: PATH, diff: searchOfRoo }, '{"operation":"modified"}'],
    [
      'goose',
      'developer__text_editor',
      { command: 'str_replace', path: PATH, old_str: OLD, new_str: NEW },
      'Successfully replaced text',
    ],
    [
      'goose',
      'developer__text_editor',
      { command: 'write', path: PATH, file_text: AFTER },
      `Successfully wrote to ${PATH}`,
    ],
    [
      'an MCP server in VS Code',
      'mcp_filesystem_edit_file',
      { path: PATH, edits: [{ oldText: OLD, newText: NEW }] },
      '```diff\n-8080\n+9090\n```',
    ],
    ['an MCP server in Gemini CLI', 'filesystem__write_file', { path: PATH, content: AFTER }, 'ok'],
    [
      'Gemini CLI',
      'replace',
      { file_path: PATH, old_string: OLD, new_string: NEW, expected_replacements: 1 },
      `Successfully modified file: ${PATH} (1 replacements).`,
    ],
  ])('%s: %s', async (_, ...use) => {
    for (const format of FORMATS) {
      expect(await shown(format, [WRITE, use])).toBe(`File ${PATH} (as last known):\n${AFTER}`);
    }
  });

  it('a line that Roo Code puts in', async () => {
    const input = { path: PATH, line: '2', content: '// Where it listens.' };
    const after = `${OLD}\n// Where it listens.\nexport default port;\n`;
    expect(
      await shown('openai-chat', [WRITE, ['insert_content', input, '{"operation":"modified"}']]),
    ).toBe(`File ${PATH} (as last known):\n${after}`);
  });
});

describe('B2: what a tool may have changed that is not known is shown so', () => {
  it.each<[string, ...Use]>([
    [
      'VS Code',
      'insert_edit_into_file',
      { explanation: 'x', filePath: PATH, code: `${NEW}\n// ...existing code...` },
      'The following files were successfully edited',
    ],
    ['Cursor', 'edit_file', { target_file: PATH, instructions: 'x', code_edit: NEW }, 'ok'],
    ['Zed', 'edit_file', { path: PATH, display_description: 'Set the port', mode: 'edit' }, 'ok'],
    [
      'Serena',
      'mcp__serena__replace_symbol_body',
      { name_path: 'port', relative_path: 'src/server.ts', body: NEW },
      'OK',
    ],
    [
      'Serena',
      'rename_symbol',
      { name_path: 'port', relative_path: 'src/b.ts', new_name: 'p' },
      'OK',
    ],
    [
      'Roo Code',
      'search_and_replace',
      { path: PATH, search: '80+', replace: '90', use_regex: 'true' },
      '{"operation":"modified"}',
    ],
    [
      'Roo Code, several files',
      'apply_diff',
      { args: { file: [{ path: PATH, diff: { content: searchOfRoo, start_line: 1 } }] } },
      'ok',
    ],
    [
      'a diff in a tool of an MCP server',
      'mcp__patcher__run_diff_tool_apply',
      { unified: `--- a${PATH}\n+++ ${PATH}\n@@ -1 +1 @@\n-${OLD}\n+${NEW}\n` },
      'ok',
    ],
    ['JetBrains', 'mcp__jetbrains__reformat_file', { path: 'src/server.ts' }, 'ok'],
    [
      'the git server of MCP',
      'mcp__git__git_checkout',
      { repo_path: '/repo', branch_name: 'b' },
      'ok',
    ],
    [
      'an answer that the user has changed',
      'replace',
      { file_path: PATH, old_string: OLD, new_string: NEW },
      `Successfully modified file: ${PATH} (1 replacements).\nUser modified the \`new_string\` content to be: const port = 7070;.`,
    ],
    [
      'an edit that the user has changed in Claude Code',
      'Edit',
      { file_path: PATH, old_string: OLD, new_string: NEW },
      `The file ${PATH} has been updated successfully.  The user modified your proposed changes before accepting them. .`,
    ],
    [
      'an edit that is refused, since the file was changed meanwhile',
      'Edit',
      { file_path: PATH, old_string: OLD, new_string: NEW },
      '<tool_use_error>File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.</tool_use_error>',
    ],
    [
      'the same in OpenCode',
      'edit',
      { filePath: PATH, oldString: OLD, newString: NEW },
      `File ${PATH} has been modified since it was last read.\nLast modification: 2026-11-28T12:00:00.000Z\nLast read: 2026-11-28T11:00:00.000Z\n\nPlease read the file again before modifying it.`,
    ],
    [
      'an edit of a file that was changed meanwhile',
      'Edit',
      { file_path: PATH, old_string: OLD, new_string: NEW },
      `The file ${PATH} has been updated successfully. (note: the file had been modified on disk since you last read it — the edit applied cleanly, but the file contains other changes not in your context. Read it before edits that depend on surrounding content.)`,
    ],
    [
      'an agent that may write',
      'Task',
      { subagent_type: 'general-purpose', prompt: 'Set the port to 9090.', description: 'Port' },
      'Done.',
    ],
    [
      'an agent of VS Code',
      'runSubagent',
      { prompt: 'Set the port to 9090.', description: 'Port' },
      'Done.',
    ],
  ])('%s: %s', async (_, ...use) => {
    for (const format of FORMATS) {
      expect(await shown(format, [WRITE, use])).toContain('[may have changed since: ');
    }
  });

  it.each([
    `Successfully modified file: ${PATH} (1 replacements).\nUser modified the \`new_string\` content to be: const port = 7070;.`,
    `The file ${PATH} has been updated successfully.  The user modified your proposed changes before accepting them. .`,
  ])('and that somebody made something else of the call: %s', async (answer) => {
    const use: Use = ['Edit', { file_path: PATH, old_string: OLD, new_string: NEW }, answer];
    expect(await shown('anthropic', [WRITE, use])).toContain(
      '[may have changed since: Edit, of which the user or an editor made something else]',
    );
  });

  it.each<[string, ...Use]>([
    [
      'a search',
      'mcp__serena__find_symbol',
      { name_path: 'port', relative_path: 'src/server.ts' },
      '[]',
    ],
    ['diagnostics', 'mcp__ide__getDiagnostics', { uri: `file://${PATH}` }, '[]'],
    ['tests in VS Code', 'runTests', { files: [PATH] }, '3 passed'],
    ['the git server of MCP', 'mcp__git__git_status', { repo_path: '/repo' }, 'clean'],
    [
      'a file on GitHub',
      'mcp__github__create_or_update_file',
      { owner: 'o', repo: 'r', path: 'src/server.ts', content: AFTER, message: 'x', branch: 'b' },
      '{}',
    ],
    [
      'an edit that was only tried',
      'edit_file',
      { path: PATH, edits: [{ oldText: OLD, newText: NEW }], dryRun: true },
      'diff',
    ],
    ['a new folder', 'mcp__filesystem__create_directory', { path: '/repo/src' }, 'ok'],
    [
      'an agent that only reads',
      'Task',
      { subagent_type: 'Explore', prompt: 'Where is the port set?', description: 'Port' },
      'In src/server.ts.',
    ],
    [
      'an agent that is told to',
      'Task',
      {
        subagent_type: 'general-purpose',
        prompt: 'Find where the port is set. Do not write any code.',
        description: 'Port',
      },
      'In src/server.ts.',
    ],
    [
      'a tool that failed',
      'mcp__serena__replace_symbol_body',
      { relative_path: 'src/server.ts', body: NEW },
      'Error: no symbol found',
    ],
  ])('and no more than that: %s: %s', async (_, ...use) => {
    expect(await shown('anthropic', [WRITE, use])).toBe(`File ${PATH} (as last known):\n${BEFORE}`);
  });
});
