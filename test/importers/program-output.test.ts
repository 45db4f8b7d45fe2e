import { describe, expect, it } from 'vitest';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { bytesOf, jsonLines, readOne } from './fixtures.ts';

describe('what Claude Code prints as stream-json', () => {
  const line = (type: string, message: object, parent: string | null = null) => ({
    type,
    message,
    parent_tool_use_id: parent,
    session_id: 's1',
  });
  const usage = { input_tokens: 3, output_tokens: 8 };
  const said = (id: string, block: object) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [block],
    usage,
  });
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } };
  const result = { type: 'tool_result', tool_use_id: 't1', content: '1 failed', is_error: true };
  const text = { type: 'text', text: 'I run them.' };
  const lines = [
    { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-x' },
    line('assistant', said('m1', text)),
    line('assistant', said('m1', call)),
    line('assistant', said('m9', { type: 'text', text: 'Of another agent.' }), 't0'),
    line('user', { role: 'user', content: [result] }),
    { type: 'result', subtype: 'success', result: 'Done.' },
    { no: 'type' },
  ];

  it.each([
    ['lines', jsonLines(lines)],
    ['a list', bytesOf(JSON.stringify(lines))],
  ])('becomes Anthropic messages, with usage once, as %s', (_, bytes) => {
    const read = readOne('claude.jsonl', bytes);
    expect(read).toMatchObject({ source: 'claude-stream', format: 'anthropic', model: 'claude-x' });
    expect(read.items).toEqual([
      { role: 'assistant', id: 'm1', model: 'claude-x', content: [text] },
      { role: 'assistant', id: 'm1', model: 'claude-x', content: [call], usage },
      { role: 'user', content: [result] },
    ]);
    expect(read.skipped).toEqual({
      'system:init': 1,
      sidechain: 1,
      'result:success': 1,
      line_without_type: 1,
    });
  });
});

describe('what the Gemini CLI prints as stream-json', () => {
  it('becomes chat messages, with pieces of one answer and calls made at once put together', () => {
    const timestamp = '2026-01-30T06:18:17.751Z';
    const piece = (content: string) => ({
      type: 'message',
      timestamp,
      role: 'assistant',
      content,
      delta: true,
    });
    const call = (id: string, path: string) => ({
      type: 'tool_use',
      timestamp,
      tool_name: 'read_file',
      tool_id: id,
      parameters: { path },
    });
    const result = (id: string, more: object) => ({
      type: 'tool_result',
      timestamp,
      tool_id: id,
      ...more,
    });
    const failed = { type: 'invalid_tool_params', message: 'No such file.' };
    const read = readOne(
      'gemini.jsonl',
      jsonLines([
        { type: 'init', timestamp, session_id: 's', model: 'gemini-x' },
        { type: 'message', timestamp, role: 'user', content: 'Read both.' },
        piece('I read '),
        piece('them.'),
        call('c1', 'a.txt'),
        call('c2', 'b.txt'),
        piece(' Both at once.'),
        result('c1', { status: 'success', output: 'hello' }),
        result('c2', { status: 'error', output: 'No such', error: failed }),
        piece('One is missing.'),
        { type: 'message', timestamp, role: 'user', content: '' },
        { type: 'result', timestamp, status: 'success', stats: {} },
      ]),
    );
    const made = (id: string, path: string) => ({
      id,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path }) },
    });
    expect(read).toMatchObject({
      source: 'gemini-stream',
      format: 'openai-chat',
      model: 'gemini-x',
    });
    expect(read.items).toEqual([
      { role: 'user', content: 'Read both.', timestamp },
      {
        role: 'assistant',
        content: 'I read them. Both at once.',
        tool_calls: [made('c1', 'a.txt'), made('c2', 'b.txt')],
        timestamp,
      },
      { role: 'tool', tool_call_id: 'c1', content: 'hello', timestamp },
      { role: 'tool', tool_call_id: 'c2', content: 'Error: No such file.', timestamp },
      { role: 'assistant', content: 'One is missing.', timestamp },
    ]);
    expect(read.skipped).toEqual({ init: 1, piece_of_message: 4, message: 1, result: 1 });
  });
});

it('says what to import in place of what Codex prints', () => {
  const item = { id: 'item_0', type: 'agent_message', text: 'Done.' };
  const lines = [{ type: 'turn.started' }, { type: 'item.completed', item }];
  expect(() => readTranscripts('codex.jsonl', jsonLines(lines))).toThrow(
    'It is what `codex exec --json` prints, which says less than the session that Codex keeps: ' +
      'import that from ~/.codex/sessions.',
  );
});
