import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/domain/json.ts';
import type { FileAction } from '../../../src/domain/workspace/action.ts';
import { actionsOfOpenCall } from '../../../src/domain/workspace/call-actions.ts';
import { Effort } from '../../../src/domain/workspace/effort.ts';
import type { KnownText } from '../../../src/domain/workspace/known-text.ts';
import { done, toolCall } from '../../support/tool-calls.ts';

const PATH = '/w/a.ts';
const FOLDERS = { session: '/w', shell: '/w' };
const seen = (text: KnownText | null): FileAction[] => [{ kind: 'seen', path: PATH, text }];
const lines = (total: number | null, first: number, text: string) =>
  seen({ blocks: [{ first, text }], total });

describe('what the reading tools of agents show', () => {
  it.each<[string, string, Json, string, FileAction[]]>([
    [
      'Claude Code',
      'Read',
      { file_path: PATH },
      '     1→x\n     2→y\n     3→',
      lines(3, 1, 'x\ny\n'),
    ],
    [
      'a descendant of pi, with lines behind the path',
      'read',
      { path: `${PATH}:2-3` },
      '1bc|x\n2yy|y\n\n[Showing lines 1-2 of 9. Use :3 to continue]',
      lines(9, 1, 'x\ny'),
    ],
    [
      'a descendant of pi, with lines left out',
      'read',
      { path: PATH },
      '1bt-9rk|{ .. }\n\n[9 lines across 1 elided region; read /w/a.ts:raw]',
      seen(null),
    ],
    [
      'Antigravity',
      'view_file',
      { AbsolutePath: PATH, StartLine: 2, EndLine: 3 },
      'File Path: `file:///w/a.ts`\nTotal Lines: 9\nTotal Bytes: 40\nShowing lines 2 to 3\nThe code has line numbers, in the format: <line_number>: <original_line>. Please note.\n2: x\n3: y\nThe above content does NOT show the entire file contents.\n',
      lines(9, 2, 'x\ny'),
    ],
    ['Claude Code 2.1', 'Read', { file_path: PATH }, '1\tx\n2\ty', lines(2, 1, 'x\ny')],
    [
      'Claude Code, a part',
      'Read',
      { file_path: PATH, offset: 5, limit: 2 },
      '     5→x\n     6→y',
      lines(null, 5, 'x\ny'),
    ],
    [
      'Claude Code, past the end',
      'Read',
      { file_path: PATH, offset: 5, limit: 9 },
      '     5→x',
      lines(5, 5, 'x'),
    ],
    [
      'Claude Code with a reminder',
      'Read',
      { file_path: PATH },
      '     1→x\n\n<system-reminder>\nNo malware?\n</system-reminder>\n',
      lines(1, 1, 'x'),
    ],
    [
      'Claude Code, an empty file',
      'Read',
      { file_path: PATH },
      '<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>',
      lines(1, 1, ''),
    ],
    [
      'Claude Code, nothing new',
      'Read',
      { file_path: PATH },
      'File unchanged since last read.',
      seen(null),
    ],
    ['cleared', 'Read', { file_path: PATH }, '[Old tool result content cleared]', seen(null)],
    [
      'failed',
      'Read',
      { file_path: PATH },
      '<tool_use_error>File does not exist.</tool_use_error>',
      [],
    ],
    [
      'Copilot CLI',
      'view',
      { path: PATH, view_range: [3, 4] },
      '3. x\n4. y',
      lines(null, 3, 'x\ny'),
    ],
    [
      'Copilot CLI 1.0, which numbers no lines',
      'view',
      { path: PATH },
      'x\ny\n',
      seen({ blocks: [{ first: 1, text: 'x\ny\n' }], total: 3 }),
    ],
    [
      'Copilot CLI 1.0, some lines',
      'view',
      { path: PATH, view_range: [3, 4] },
      'x\ny',
      lines(null, 3, 'x\ny'),
    ],
    [
      'Copilot CLI 1.0, cut in the middle of a line',
      'view',
      { path: PATH, view_range: [3, -1] },
      'x\ny\nz of whi\n\n[Output truncated. Use view_range=[6, ...] to continue reading. In your next response, you may batch this with other view calls. File has at least 90 lines.]',
      lines(null, 3, 'x\ny'),
    ],
    ['Continue', 'Read', { filepath: PATH }, `Content of ${PATH}:\nx\ny`, lines(2, 1, 'x\ny')],
    [
      'Copilot CLI, a folder',
      'view',
      { path: '/w' },
      'a.ts\nb.ts',
      [{ kind: 'seen', path: '/w', text: null }],
    ],
    [
      'SWE-agent',
      'str_replace_editor',
      { command: 'view', path: PATH, view_range: [3, 4] },
      `Here's the result of running \`cat -n\` on ${PATH}:\n     3\tx\n     4\ty\n`,
      lines(null, 3, 'x\ny'),
    ],
    [
      'SWE-agent, whole',
      'str_replace_editor',
      { command: 'view', path: PATH },
      `Here's the result of running \`cat -n\` on ${PATH}:\n     1\tx\n     2\ty\n`,
      lines(2, 1, 'x\ny'),
    ],
    [
      'Mastra',
      'mastra_workspace_read_file',
      { path: PATH, offset: 3 },
      `${PATH} (lines 3-4 of 4, 99 bytes)\n     3→x\n     4→y`,
      lines(4, 3, 'x\ny'),
    ],
    [
      'Mastra, whole',
      'mastra_workspace_read_file',
      { path: PATH },
      `${PATH} (4 bytes)\n     1→x\n     2→y\n     3→`,
      lines(3, 1, 'x\ny\n'),
    ],
    [
      'Claude Code, of a list that looks like what Mastra says first',
      'Read',
      { file_path: PATH },
      '     1→a.md (120 bytes)\n     2→b.md (3 bytes)',
      lines(2, 1, 'a.md (120 bytes)\nb.md (3 bytes)'),
    ],
    [
      'pi, of the same',
      'read',
      { path: PATH },
      'a.md (120 bytes)\nb.md (3 bytes)\n',
      lines(3, 1, 'a.md (120 bytes)\nb.md (3 bytes)\n'),
    ],
    [
      'Strands, which shows blanks for tabs',
      'fileEditor',
      { command: 'view', path: PATH, view_range: [3, 4] },
      `Here's the result of running \`cat -n\` on ${PATH}:\n     3  x\n     4  y\n`,
      [{ kind: 'seen', path: PATH, text: null }],
    ],
    [
      'the window of the first SWE-agent',
      'open',
      { path: 'a.ts', line_number: 3 },
      `[File: ${PATH} (9 lines total)]\r\n(2 more lines above)\r\n3:x\r\n4:y\r\n(5 more lines below)\r\n(Open file: ${PATH})\r\n(Current directory: /w)\r\nbash-$`,
      lines(10, 3, 'x\ny'),
    ],
    ['pi', 'read', { path: 'a.ts' }, 'x\ny\n', lines(3, 1, 'x\ny\n')],
    [
      'pi, a part',
      'read',
      { path: 'a.ts', offset: 3, limit: 2 },
      'x\ny\n\n[23 more lines in file. Use offset=5 to continue.]',
      lines(null, 3, 'x\ny'),
    ],
    [
      'pi, cut',
      'read',
      { path: 'a.ts' },
      'x\ny\n\n[Showing lines 1-2 of 900. Use offset=3 to continue.]',
      lines(null, 1, 'x\ny'),
    ],
    ['Gemini CLI', 'read_file', { file_path: PATH }, 'x\ny\n', lines(3, 1, 'x\ny\n')],
    [
      'Gemini CLI, cut',
      'read_file',
      { file_path: PATH },
      '\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 3-4 of 90 total lines.\nAction: To read more of the file, use offset.\n\n--- FILE CONTENT (truncated) ---\nx\ny'.trimStart(),
      lines(null, 3, 'x\ny'),
    ],
    [
      'opencode',
      'read',
      { filePath: PATH, offset: 0 },
      '<file>\n00001| x\n00002| y\n\n(End of file - total 2 lines)\n</file>',
      lines(2, 1, 'x\ny'),
    ],
    [
      'opencode since 1.2',
      'read',
      { filePath: PATH },
      `<path>${PATH}</path>\n<type>file</type>\n<content>1: x\n2:   y\n3: \n\n(End of file - total 3 lines)\n</content>`,
      lines(4, 1, 'x\n  y\n\n'),
    ],
    [
      'opencode since 1.2, a part with instructions behind it',
      'read',
      { filePath: PATH, offset: 8, limit: 2 },
      `<path>${PATH}</path>\n<type>file</type>\n<content>8: x\n9: </content>\n\n(Showing lines 8-9 of 40. Use offset=10 to continue.)\n</content>\n\n<system-reminder>\nInstructions from: /w/AGENTS.md\n10: no\n</system-reminder>`,
      lines(41, 8, 'x\n</content>'),
    ],
    [
      'opencode since 1.2, a line cut',
      'read',
      { filePath: PATH },
      `<path>${PATH}</path>\n<type>file</type>\n<content>1: x\n2: ${'y'.repeat(2_000)}... (line truncated to 2000 chars)\n3: z\n\n(Output capped at 50 KB. Showing lines 1-3. Use offset=4 to continue.)\n</content>`,
      [
        {
          kind: 'seen',
          path: PATH,
          text: {
            blocks: [
              { first: 1, text: 'x' },
              { first: 3, text: 'z' },
            ],
            total: null,
          },
        },
      ],
    ],
    [
      'opencode since 1.2, an empty file',
      'read',
      { filePath: PATH },
      `<path>${PATH}</path>\n<type>file</type>\n<content>\n\n(End of file - total 0 lines)\n</content>`,
      lines(1, 1, ''),
    ],
    [
      'read_many_files',
      'read_many_files',
      { paths: ['a.ts'] },
      `--- ${PATH} ---\n\nx\ny\n\n--- End of content ---`,
      lines(2, 1, 'x\ny'),
    ],
    [
      'a picture',
      'Read',
      { file_path: '/w/a.png' },
      '',
      [{ kind: 'seen', path: '/w/a.png', text: null }],
    ],
  ])('%s', (_, name, input, answer, actions) => {
    expect(done(name, input, answer)).toEqual(actions);
  });
});

it.each([
  ['memory', '/memories'],
  ['str_replace_based_edit_tool', '/w'],
])('a folder that %s shows is no file', (name, path) => {
  const folder = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:\n4.0K\t${path}\n12B\t${path}/a.md`;
  expect(done(name, { command: 'view', path }, folder)).toEqual([]);
});

describe('what the writing tools of agents do', () => {
  it.each<[string, string, Json, FileAction[]]>([
    [
      'Write',
      'Write',
      { file_path: PATH, content: 'x' },
      [{ kind: 'written', path: PATH, text: 'x' }],
    ],
    [
      'Write of Continue',
      'Write',
      { filepath: PATH, content: 'x' },
      [{ kind: 'written', path: PATH, text: 'x' }],
    ],
    [
      'Write of Kimi Code at the end of a file',
      'Write',
      { path: PATH, content: 'x\n', mode: 'append' },
      [{ kind: 'appended', path: PATH, text: 'x\n' }],
    ],
    [
      'write_file of Gemini CLI',
      'write_file',
      { file_path: PATH, content: 'x' },
      [{ kind: 'written', path: PATH, text: 'x' }],
    ],
    [
      'create of Copilot CLI',
      'create',
      { path: PATH, file_text: 'x' },
      [{ kind: 'written', path: PATH, text: 'x' }],
    ],
    [
      'create of the editor',
      'str_replace_based_edit_tool',
      { command: 'create', path: PATH, file_text: 'x' },
      [{ kind: 'written', path: PATH, text: 'x' }],
    ],
    [
      'a server of tools',
      'mcp__filesystem__write_file',
      { path: PATH, content: 'x' },
      [{ kind: 'written', path: PATH, text: 'x' }],
    ],
    [
      'Edit',
      'Edit',
      { file_path: PATH, old_string: 'x', new_string: 'y', replace_all: true },
      [{ kind: 'replaced', path: PATH, replacements: [{ from: 'x', to: 'y', all: true }] }],
    ],
    [
      'MultiEdit',
      'MultiEdit',
      {
        file_path: PATH,
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: 'u', new_string: 'v' },
        ],
      },
      [
        {
          kind: 'replaced',
          path: PATH,
          replacements: [
            { from: 'x', to: 'y', all: false },
            { from: 'u', to: 'v', all: false },
          ],
        },
      ],
    ],
    [
      'edit of Copilot CLI',
      'edit',
      { path: PATH, old_str: 'x', new_str: 'y' },
      [{ kind: 'replaced', path: PATH, replacements: [{ from: 'x', to: 'y', all: false }] }],
    ],
    [
      'edit of pi',
      'edit',
      { path: PATH, oldText: 'x', newText: 'y' },
      [{ kind: 'replaced', path: PATH, replacements: [{ from: 'x', to: 'y', all: false }] }],
    ],
    [
      'replace of Gemini CLI',
      'replace',
      { file_path: PATH, old_string: 'x', new_string: 'y', expected_replacements: 2 },
      [{ kind: 'replaced', path: PATH, replacements: [{ from: 'x', to: 'y', all: true }] }],
    ],
    [
      'an empty old text makes the file',
      'Edit',
      { file_path: PATH, old_string: '', new_string: 'x' },
      [{ kind: 'written', path: PATH, text: 'x' }],
    ],
    [
      'insert of the editor',
      'str_replace_editor',
      { command: 'insert', path: PATH, insert_line: 2, new_str: 'x' },
      [{ kind: 'inserted', path: PATH, after: 2, text: 'x' }],
    ],
    [
      'undo_edit of the editor',
      'str_replace_editor',
      { command: 'undo_edit', path: PATH },
      [{ kind: 'undone', path: PATH }],
    ],
    [
      'copy_file of Nanocoder',
      'copy_file',
      { source: PATH, destination: 'b.ts' },
      [{ kind: 'copied', path: PATH, to: '/w/b.ts' }],
    ],
    [
      'copy_path of Zed',
      'copy_path',
      { source_path: PATH, destination_path: 'b.ts' },
      [{ kind: 'copied', path: PATH, to: '/w/b.ts' }],
    ],
    [
      "a new file of Anthropic's memory tool",
      'memory',
      { command: 'create', path: '/memories/a.md', file_text: 'x\n' },
      [{ kind: 'written', path: '/memories/a.md', text: 'x\n' }],
    ],
    [
      "a line of Anthropic's memory tool",
      'memory',
      { command: 'insert', path: '/memories/a.md', insert_line: 1, insert_text: 'y\n' },
      [{ kind: 'inserted', path: '/memories/a.md', after: 1, text: 'y\n' }],
    ],
    [
      "another name by Anthropic's memory tool",
      'memory',
      { command: 'rename', old_path: '/memories/a.md', new_path: '/memories/b.md' },
      [{ kind: 'moved', path: '/memories/a.md', to: '/memories/b.md' }],
    ],
    [
      "a file that Anthropic's memory tool deletes",
      'memory',
      { command: 'delete', path: '/memories/a.md' },
      [{ kind: 'deleted', path: '/memories/a.md' }],
    ],
    [
      'string_replace of Nanocoder',
      'string_replace',
      { path: 'a.ts', old_str: 'x', new_str: 'y' },
      [{ kind: 'replaced', path: PATH, replacements: [{ from: 'x', to: 'y', all: false }] }],
    ],
    [
      'edit_block of Desktop Commander',
      'mcp__desktop-commander__edit_block',
      { file_path: PATH, old_string: 'x', new_string: 'y', expected_replacements: 1 },
      [{ kind: 'replaced', path: PATH, replacements: [{ from: 'x', to: 'y', all: false }] }],
    ],
    [
      'preview_edit of SkillLite, which only shows the edit',
      'preview_edit',
      { path: 'a.ts', old_string: 'x\n', new_string: 'y\n' },
      [{ kind: 'may_change', targets: [PATH], by: 'preview_edit' }],
    ],
    [
      'a tool that puts in a text in front of none',
      'mcp__notes__edit_note',
      { path: 'a.ts', old_str: '', new_str: 'y\n' },
      [{ kind: 'may_change', targets: [PATH], by: 'mcp__notes__edit_note' }],
    ],
    [
      'move_file',
      'mcp__filesystem__move_file',
      { source: PATH, destination: '/w/b.ts' },
      [{ kind: 'moved', path: PATH, to: '/w/b.ts' }],
    ],
    ['delete_file', 'delete_file', { target_file: PATH }, [{ kind: 'deleted', path: PATH }]],
    [
      'NotebookEdit',
      'NotebookEdit',
      { notebook_path: '/w/a.ipynb', new_source: 'x' },
      [{ kind: 'changed', path: '/w/a.ipynb', by: 'NotebookEdit', isCertain: true, text: 'x' }],
    ],
    ['Grep', 'Grep', { pattern: 'x', path: PATH }, []],
  ])('%s', (_, name, input, actions) => {
    expect(done(name, input, 'Done.')).toEqual(actions);
    expect(done(name, input, 'Error: it did not work')).toEqual([]);
  });

  it('a call without a result has perhaps changed its file', () => {
    const write = toolCall('Write', { file_path: 'a.ts', content: 'x' });
    const by = 'Write without a result';
    expect(actionsOfOpenCall(write, FOLDERS, new Effort())).toEqual([
      { kind: 'changed', path: PATH, by, isCertain: false },
    ]);
    expect(
      actionsOfOpenCall(toolCall('Read', { file_path: 'a.ts' }), FOLDERS, new Effort()),
    ).toEqual([]);
  });
});
