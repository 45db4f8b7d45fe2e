import { describe, expect, it } from 'vitest';
import { answerOf, beforeCut, shownBy } from '../../../src/domain/workspace/result-text.ts';
import { codex, toolResult } from '../../support/tool-calls.ts';

const GEMINI =
  'Command: cat a.ts\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4242';

describe('an answer without what its program wraps around it', () => {
  it.each<[string, string, string, 'ok' | 'failed']>([
    ['Codex', codex('x\n'), 'x\n', 'ok'],
    ['Codex, failed', codex('x\n', 2), 'x\n', 'failed'],
    [
      'Codex with its command',
      'Command: /bin/bash -lc "cat a"\nChunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nx\n',
      'x\n',
      'ok',
    ],
    ['shell_command', 'Exit code: 0\nWall time: 1.2 seconds\nOutput:\nx\n', 'x\n', 'ok'],
    [
      'shell_command, failed',
      'Exit code: 127\nWall time: 1.2 seconds\nOutput:\nx\n',
      'x\n',
      'failed',
    ],
    [
      'old Codex',
      JSON.stringify({ output: 'x\n', metadata: { exit_code: 0, duration_seconds: 0 } }),
      'x\n',
      'ok',
    ],
    [
      'old Codex, failed',
      JSON.stringify({ output: 'x\n', metadata: { exit_code: 1 } }),
      'x\n',
      'failed',
    ],
    ['Nanocoder', 'EXIT_CODE: 0\nx\n', 'x\n', 'ok'],
    ['Nanocoder, failed', 'EXIT_CODE: 1\nSTDERR:\nx\n\nSTDOUT:\n', 'x\n', 'failed'],
    [
      'an edit that Nanocoder has not made',
      'Validation failed: ⚒ Content not found in file.',
      'Validation failed: ⚒ Content not found in file.',
      'failed',
    ],
    ['mini-swe-agent', '<returncode>0</returncode>\n<output>\nx\n</output>', 'x\n', 'ok'],
    [
      'mini-swe-agent, failed',
      '<returncode>1</returncode>\n<output>\nx\n</output>',
      'x\n',
      'failed',
    ],
    [
      'a call of Codex for a tool that it has not',
      'unsupported custom tool call: apply_patch',
      'unsupported custom tool call: apply_patch',
      'failed',
    ],
    ...[
      'unsupported call: update_plan',
      "The arguments provided to the tool are invalid: Model tried to call unavailable tool 'write'.",
      'Tool write not found in agent Coder.',
      'Unknown tool: write',
    ].map((text): [string, string, string, 'failed'] => ['of others', text, text, 'failed']),
    [
      'a lookup of tools',
      'Tool calls are written in JSON.',
      'Tool calls are written in JSON.',
      'ok',
    ],
    ['a search without matches', 'No matches found', 'No matches found', 'ok'],
    ['a search with matches', 'Found 12 matches\na.ts:1: x', 'Found 12 matches\na.ts:1: x', 'ok'],
    [
      'a plan of Terraform',
      'No changes. All is up to date.',
      'No changes. All is up to date.',
      'ok',
    ],
    [
      'an edit of what stands twice',
      'Found 2 matches of the string to replace, but replace_all is false.',
      'Found 2 matches of the string to replace, but replace_all is false.',
      'failed',
    ],
    [
      'an edit of what is not there',
      'No match found for the text.',
      'No match found for the text.',
      'failed',
    ],
    ['Gemini CLI', GEMINI, 'x', 'ok'],
    ['Gemini CLI, failed', GEMINI.replace('Code: 0', 'Code: 1'), 'x', 'failed'],
    ['Gemini CLI, empty', GEMINI.replace('Output: x', 'Output: (empty)'), '', 'ok'],
    ['Copilot CLI', 'x\n<shellId: 0 completed with exit code 0>', 'x', 'ok'],
    ['Copilot CLI, failed', 'x\n<exited with exit code 2>', 'x', 'failed'],
    ['pi, failed', 'x\n\n\nCommand exited with code 2', 'x\n', 'failed'],
    [
      'a reminder that a file quotes before one of Claude Code',
      'a\n<system-reminder>\nx\n</system-reminder>\nb\n\n<system-reminder>\nBe good.\n</system-reminder>',
      'a\n<system-reminder>\nx\n</system-reminder>\nb\n',
      'ok',
    ],
    [
      'Claude Code with a reminder',
      'x\n\n<system-reminder>\nBe good.\n</system-reminder>\n',
      'x\n',
      'ok',
    ],
    ['Kimi Code', 'Wall time: 0.501 seconds\nx\n', 'x\n', 'ok'],
    [
      'Kimi Code, failed',
      'Wall time: 0.711 seconds\n<system>ERROR: Tool execution failed.</system>\nx\nCommand failed with exit code: 1.',
      'x\nCommand failed with exit code: 1.',
      'failed',
    ],
    [
      'an edit of Kimi Code that failed',
      '<system>ERROR: Tool execution failed.</system>\nx',
      'x',
      'failed',
    ],
    ['Kimi Code, empty', '<system>Tool output is empty.</system>', '', 'ok'],
    ['Continue, failed', 'Error executing tool Bash: Error (exit code 1): x\n', 'x\n', 'failed'],
    [
      'VS Code, failed',
      'ERROR while calling tool: Error: ENOENT: no such file\nPlease check your input and try again.',
      'ENOENT: no such file\nPlease check your input and try again.',
      'failed',
    ],
    ['Droid, failed', 'Error: Command failed (exit code: 1)\nx\n', 'x\n', 'failed'],
    [
      'Strands, failed',
      '[ERROR] Error: The path /w/a.ts does not exist.',
      'Error: The path /w/a.ts does not exist.',
      'failed',
    ],
    [
      'a log that begins as Strands does',
      '[ERROR] Error: boom\n[INFO] again',
      '[ERROR] Error: boom\n[INFO] again',
      'ok',
    ],
    ['carriage returns of SWE-agent', 'x\r\ny\r\n', 'x\ny\n', 'ok'],
    ['a JSON file that looks like a wrapper', '{"output":["a"]}', '{"output":["a"]}', 'ok'],
  ])('%s', (_, answer, text, outcome) => {
    expect(answerOf(toolResult(answer))).toMatchObject({ text, isFailed: outcome === 'failed' });
  });

  it.each([
    '<tool_use_error>File does not exist.</tool_use_error>',
    "Error: ENOENT: no such file or directory, open 'a.ts'",
    'File not found: /w/a.ts',
    'Path does not exist',
    'cat: a.ts: No such file or directory',
    "sed: can't read a.ts: No such file or directory",
    "PermissionError: [Errno 13] Permission denied: 'a.ts'",
    'apply_patch verification failed: Failed to find expected lines',
    'String to replace not found in file.',
    "The user doesn't want to proceed with this tool use.",
    '[Request interrupted by user for tool use]',
    'File has not been read yet. Read it first before writing to it.',
    'The specified text was not found. Make sure you use the exact text from the file.',
    // Qwen Code, Continue, Kimi Code, pi, and the Copilot CLI.
    'File /w/a.ts has not been read in this session. Use the read_file tool first to load the current content before editing it.',
    'File /w/a.ts has been modified since you last read it (mtime or size changed). Re-read it with the read_file tool before editing it to ensure your changes are based on current content.',
    'No changes to apply. The old_string and new_string are identical in file: /w/a.ts',
    'File already exists, cannot create: /w/a.ts',
    'You must use the Read tool to read /w/a.ts before editing it.',
    'old_string not found in a.ts, the file contents may be out of date. Please use the Read Tool to reload the content.\n',
    'old_string is not unique in a.ts (found 2 occurrences). To replace every occurrence, set replace_all=true.',
    'No changes to make: old_string and new_string are exactly the same.',
    'Found 2 occurrences of edits[0] in a.ts. Each oldText must be unique. Please provide more context to make it unique.',
    'edits[0].oldText must not be empty in a.ts.',
    'edits[0] and edits[1] overlap in a.ts. Merge them into one edit or target disjoint regions.',
    'Edit tool input is invalid. edits must contain at least one replacement.',
    'Edit at index 0: string not found in file: "const a"',
    'Edit at index 1: String "a" appears 2 times in the file. Either provide a more specific string, or use replace_all=true.',
    // Crush, OpenCode, and the Copilot CLI.
    'old_string appears multiple times in the file. Please provide more context to ensure a unique match, or set replace_all to true',
    'you must read the file before editing it. Use the View tool first',
    'new content is the same as old content. No changes made.',
    'You must read file /w/a.ts before overwriting it. Use the Read tool first',
    'File /w/a.ts has been modified since it was last read.\nLast modification: 2026-11-28T10:00:00.000Z',
    'oldString not found in content',
    'No match found',
    'Multiple matches found',
    'Path already exists',
    'File too large to read at once (75.1 KB). Consider using the grep tool to search within the file, or view with view_range to read specific sections.',
    'Your proposed edit has introduced new syntax error(s).',
  ])('tells a failure where there is no flag: %j', (text) => {
    expect(answerOf(toolResult(text)).isFailed).toBe(true);
  });

  it.each([
    'export class ReadError extends Error {}\n',
    '// Error handling\n',
    'File a.ts has 3 lines',
    'File a.ts has been modified by hand.',
    'No matches found',
    'No match found here\n',
    'old_string_test.go:3: func',
    'Edit at will.',
    'You must use the Read tool.',
    'No changes to make here.',
    'errors: []\n',
    '# Failed builds\n',
    'interrupts.on()\n',
  ])('takes no file for a failure: %j', (text) => {
    expect(answerOf(toolResult(text)).isFailed).toBe(false);
  });

  it.each([
    '[Old tool result content cleared]',
    '[Result of Read removed to save space]',
    '[Digest: code, 1 definition; 40 of 41 lines left out]\n7:export const a = 1;',
  ])('knows what stands in place of a text: %s', (text) => {
    expect(answerOf(toolResult(text))).toMatchObject({ isCleared: true, isFailed: false });
  });

  it.each([
    'a\nb\n…1200 tokens truncated…z\n',
    'a\nb\n[... omitted 12 of 40 lines ...]\nz\n',
    'a\nb\n<response clipped><NOTE>Only a part is shown.</NOTE>',
    'a\nb\n... [40 lines truncated] ...\nz',
    'a\nb\n[… about 90 tokens left out …]\nz',
    'a\nb\n[Output truncated. Use view_range=[3, ...] to continue reading.]',
  ])('knows where a program has cut: %j', (text) => {
    expect(answerOf(toolResult(text)).isShortened).toBe(true);
    expect(beforeCut(text)).toBe('a\nb\n');
  });

  it('takes what is still running for a part', () => {
    const text = codex('x\n').replace(
      'Process exited with code 0',
      'Process running with session ID 7',
    );
    expect(answerOf(toolResult(text))).toMatchObject({ text: 'x\n', isShortened: true });
  });
});

it('what Claude Code writes behind a picture, which has no other text, is nothing that the tool has shown', () => {
  const reminder = '<system-reminder>\nConsider TaskCreate.\n</system-reminder>';
  expect(shownBy(toolResult(`${reminder}\n${reminder}`))).toBe('');
  expect(shownBy(toolResult(`let a = readText();\n\n${reminder}`)).trim()).toBe(
    'let a = readText();',
  );
});
