import { describe, expect, it } from 'vitest';
import { bytesOf, jsonLines, readOne } from './fixtures.ts';

const read = (name: string, value: object) => readOne(name, bytesOf(JSON.stringify(value)));

describe('a session of OpenCode', () => {
  const asked = (id: string, parts: object[]) => ({
    info: { id, role: 'user', sessionID: 'ses_1', time: { created: 1_783_841_008_121 } },
    parts,
  });
  const answered = (id: string, parts: object[], more: object = {}) => ({
    info: {
      id,
      role: 'assistant',
      modelID: 'model-x',
      time: { created: 1_783_841_009_000 },
      ...more,
    },
    parts,
  });
  const call = (callID: string, tool: string, state: object) => ({
    type: 'tool',
    callID,
    tool,
    state,
  });
  const tokens = { input: 2, output: 75, reasoning: 5, cache: { write: 100, read: 40 } };
  const messages = [
    asked('msg_1', [
      { type: 'text', text: 'Read a.txt, then run the tests.' },
      { type: 'text', text: 'Called the Read tool with a.txt.', synthetic: true },
      { type: 'text', text: 'Only for the screen.', ignored: true },
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'file', mime: 'text/plain', url: 'file:///tmp/a.txt' },
    ]),
    answered('msg_2', [
      { type: 'step-start' },
      { type: 'reasoning', text: 'First the file.', metadata: { anthropic: { signature: 'sig' } } },
      { type: 'reasoning', text: 'Not signed.' },
      { type: 'text', text: 'I read it.' },
      call('c1', 'read', { status: 'completed', input: { filePath: '/p/a.txt' }, output: 'hello' }),
      call('c2', 'bash', { status: 'error', input: { command: 'npm test' }, error: 'exit 1' }),
      { type: 'step-finish', tokens },
      { type: 'step-start' },
      call('c3', 'bash', { status: 'running', input: { command: 'npm start' } }),
      { type: 'patch', hash: 'abc', files: ['/p/a.txt'] },
      { type: 'step-finish', tokens },
    ]),
    answered('msg_3', [{ type: 'text', text: 'A summary.' }], { summary: true }),
    answered('msg_4', []),
  ];
  const items = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Read a.txt, then run the tests.' },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        },
      ],
      timestamp: '2026-07-12T07:23:28.121Z',
    },
    {
      role: 'user',
      content: [{ type: 'text', text: 'Called the Read tool with a.txt.' }],
      speaker: 'program',
      timestamp: '2026-07-12T07:23:28.121Z',
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'First the file.', signature: 'sig' },
        { type: 'text', text: 'I read it.' },
        { type: 'tool_use', id: 'c1', name: 'read', input: { filePath: '/p/a.txt' } },
        { type: 'tool_use', id: 'c2', name: 'bash', input: { command: 'npm test' } },
      ],
      model: 'model-x',
      usage: {
        input_tokens: 2,
        output_tokens: 80,
        cache_read_input_tokens: 40,
        cache_creation_input_tokens: 100,
      },
      timestamp: '2026-07-12T07:23:29.000Z',
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'hello' },
        { type: 'tool_result', tool_use_id: 'c2', content: 'exit 1', is_error: true },
      ],
      timestamp: '2026-07-12T07:23:29.000Z',
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c3', name: 'bash', input: { command: 'npm start' } }],
      model: 'model-x',
      usage: expect.anything(),
      timestamp: '2026-07-12T07:23:29.000Z',
    },
  ];

  it('becomes Anthropic messages, a step each, with the results behind it', () => {
    const session = read('opencode.json', { info: { id: 'ses_1' }, messages });
    expect(session).toMatchObject({ source: 'opencode', format: 'anthropic', model: 'model-x' });
    expect(session.items).toEqual(items);
    expect(session.skipped).toEqual({ recorded_summary: 1, empty_message: 1, info: 1 });
    expect(session.notes).toEqual([
      'Parts left out of messages: ignored text (1), file (1), reasoning (1), call without result (1), patch (1).',
      'Tool calls without a result: 1 (c3).',
    ]);
  });

  it('is read from the list that its server answers as well', () => {
    expect(read('messages.json', messages).items).toEqual(items);
  });

  it('ends where the user has gone back to', () => {
    const info = { id: 'ses_1', revert: { messageID: 'msg_2' } };
    const session = read('opencode.json', { info, messages });
    expect(session.items).toEqual(items.slice(0, 2));
    expect(session.skipped).toEqual({ other_branch: 3, info: 1 });
  });

  it('has no times where the file has none', () => {
    const parts = [{ type: 'text', text: 'Hi' }];
    const times = [undefined, { created: 'now' }, { created: 1e300 }];
    const session = read(
      'opencode.json',
      times.map((time) => ({ info: { role: 'user', ...(time && { time }) }, parts })),
    );
    expect(session.items).toEqual(times.map(() => ({ role: 'user', content: parts })));
  });
});

describe('a session of Qwen Code', () => {
  const line = (uuid: string, parentUuid: string | null, more: object) => ({
    uuid,
    parentUuid,
    timestamp: '2026-08-17T12:00:00.000Z',
    ...more,
  });
  const user = (...parts: object[]) => ({ type: 'user', message: { role: 'user', parts } });
  const model = (...parts: object[]) => ({
    type: 'assistant',
    model: 'model-x',
    message: { role: 'model', parts },
  });
  const usage = {
    promptTokenCount: 12,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 1,
    totalTokenCount: 17,
  };
  const call = { functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.txt' } } };
  const answer = {
    functionResponse: { id: 'c1', name: 'read_file', response: { output: 'hello' } },
  };
  const timestamp = '2026-08-17T12:00:00.000Z';

  it('becomes chat messages, and says what is of hooks and of the program', () => {
    const session = readOne(
      'qwen.jsonl',
      jsonLines([
        line('1', null, user({ text: 'Read a.txt.' }, { text: '<qwen:context>\nOf a hook.' })),
        line('2', '1', { ...model({ text: 'Hm.', thought: true }, call), usageMetadata: usage }),
        line('3', '2', { type: 'tool_result', message: { role: 'user', parts: [answer] } }),
        line('4', '3', { type: 'system', subtype: 'ui_telemetry' }),
        line('5', '3', { ...user({ text: 'A job has ended.' }), subtype: 'notification' }),
        line('6', '5', model({ text: 'It says hello.' })),
        line('7', '6', model({ text: 'Only thought.', thought: true })),
      ]),
    );
    expect(session).toMatchObject({ source: 'qwen-code', format: 'openai-chat', model: 'model-x' });
    expect(session.items).toEqual([
      { role: 'user', content: 'Read a.txt.', timestamp },
      { role: 'user', content: '<qwen:context>\nOf a hook.', speaker: 'hook', timestamp },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'read_file', arguments: '{"path":"a.txt"}' },
          },
        ],
        model: 'model-x',
        usage: {
          prompt_tokens: 12,
          completion_tokens: 5,
          total_tokens: 17,
          prompt_tokens_details: { cached_tokens: 0 },
        },
        timestamp,
      },
      { role: 'tool', tool_call_id: 'c1', content: 'hello', timestamp },
      { role: 'user', content: 'A job has ended.', speaker: 'program', timestamp },
      { role: 'assistant', content: 'It says hello.', model: 'model-x', timestamp },
    ]);
    expect(session.skipped).toEqual({ 'system:ui_telemetry': 1, empty_message: 1 });
    expect(session.notes).toEqual(['Parts left out of messages: thought (2).']);
  });

  it('follows the newest branch, and the lines of one message under one id', () => {
    const session = readOne(
      'qwen.jsonl',
      jsonLines([
        line('1', null, user({ text: 'Begin.' })),
        line('2', '1', model({ text: 'Left behind.' })),
        line('3', '1', { type: 'system', subtype: 'rewind' }),
        line('4', '3', user({ text: 'Go on.' })),
        line('5', '4', model({ text: 'One.' })),
        line('5', '4', model({ text: 'Two.' })),
        line('6', null, { type: 'system', subtype: 'session_artifact_snapshot' }),
      ]),
    );
    expect(session.items.map(({ content }) => content)).toEqual([
      'Begin.',
      'Go on.',
      'One.',
      'Two.',
    ]);
    expect(session.skipped).toMatchObject({ other_branch: 1 });
  });

  it('ends at a message that the user has gone back to, when nothing has come after', () => {
    const session = readOne(
      'qwen.jsonl',
      jsonLines([
        line('1', null, user({ text: 'Begin.' })),
        line('2', '1', model({ text: 'Left behind.' })),
        line('3', '1', { type: 'system', subtype: 'rewind' }),
      ]),
    );
    expect(session.items.map(({ content }) => content)).toEqual(['Begin.']);
  });
});

describe('a session of Droid', () => {
  const line = (id: string, parentId: string, role: string, content: object[]) => ({
    type: 'message',
    id,
    parentId,
    timestamp: '2025-12-26T00:10:00.000Z',
    message: { role, content },
  });
  const text = (words: string) => ({ type: 'text', text: words });

  it('is not taken for one of pi, whose lines have the same type, and keeps its calls', () => {
    const call = { type: 'tool_use', id: 't1', name: 'Execute', input: { command: 'ls' } };
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'a.txt' };
    const session = readOne(
      'droid.jsonl',
      jsonLines([
        { type: 'session_start', id: 'd', title: 'A', cwd: '/tmp' },
        line('1', 'd', 'user', [text('List the files.')]),
        line('2', '1', 'assistant', [call]),
        line('3', '2', 'user', [result]),
        line('4', '3', 'assistant', [text('Left behind.')]),
        line('5', '3', 'assistant', [text('There is a.txt.')]),
        line('6', '5', 'assistant', []),
        { type: 'todo_state', id: 'x' },
      ]),
    );
    const timestamp = '2025-12-26T00:10:00.000Z';
    expect(session).toMatchObject({ source: 'droid', format: 'anthropic' });
    expect(session.items).toEqual([
      { role: 'user', content: [text('List the files.')], timestamp },
      { role: 'assistant', content: [call], timestamp },
      { role: 'user', content: [result], timestamp },
      { role: 'assistant', content: [text('There is a.txt.')], timestamp },
    ]);
    expect(session.skipped).toEqual({
      session_start: 1,
      other_branch: 1,
      empty_message: 1,
      todo_state: 1,
    });
  });
});

it('puts the steps of a session of Kimi Code together', () => {
  const time = 1_785_612_812_820;
  const timestamp = '2026-08-01T19:33:32.820Z';
  const message = (text: string, kind: string) => ({
    type: 'context.append_message',
    message: { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin: { kind } },
    time,
  });
  const event = (type: string, more: object = {}) => ({
    type: 'context.append_loop_event',
    event: { type, ...more },
    time,
  });
  const part = (type: string, text: string) => event('content.part', { part: { type, text } });
  const call = (toolCallId: string, command: string) =>
    event('tool.call', { toolCallId, name: 'Bash', args: { command } });
  const answer = (toolCallId: string, result: object) =>
    event('tool.result', { toolCallId, result });
  const usage = { inputOther: 1, output: 2, inputCacheRead: 3, inputCacheCreation: 4 };
  const session = readOne(
    'wire.jsonl',
    jsonLines([
      { type: 'metadata', protocol_version: '1.4' },
      { type: 'llm.request', model: 'model-x' },
      message('Run both.', 'user'),
      event('step.begin'),
      part('think', 'Hm.'),
      part('text', 'I run them.'),
      call('c1', 'ls'),
      call('c2', 'cat x'),
      answer('c1', { output: 'a.txt' }),
      answer('c2', { output: 'No such file', isError: true }),
      event('step.end', { usage }),
      message('<system-reminder>Todos?</system-reminder>', 'injection'),
      event('step.begin'),
      part('text', 'One is missing.'),
      { type: 'context.apply_compaction', summary: 'All.' },
    ]),
  );
  const bash = (id: string, command: string) => ({
    type: 'tool_use',
    id,
    name: 'Bash',
    input: { command },
  });
  expect(session).toMatchObject({ source: 'kimi', format: 'anthropic', model: 'model-x' });
  expect(session.items).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Run both.' }], timestamp },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'I run them.' }, bash('c1', 'ls'), bash('c2', 'cat x')],
      model: 'model-x',
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
      },
      timestamp,
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'a.txt' },
        { type: 'tool_result', tool_use_id: 'c2', content: 'No such file', is_error: true },
      ],
      timestamp,
    },
    {
      role: 'user',
      content: [{ type: 'text', text: '<system-reminder>Todos?</system-reminder>' }],
      speaker: 'program',
      timestamp,
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'One is missing.' }],
      model: 'model-x',
      timestamp,
    },
  ]);
  expect(session.notes).toEqual(['Parts left out of messages: think (1).']);
  expect(session.skipped).toMatchObject({ piece_of_message: 3, 'context.apply_compaction': 1 });
});

describe('a chat of VS Code', () => {
  const rounds = [
    {
      response: 'I read it.',
      toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"filePath":"/p/a.txt"}' }],
      timestamp: 1_783_841_009_000,
    },
    { response: '', toolCalls: [{ id: 'c2', name: 'get_changes', arguments: '' }] },
    { response: 'It says hello.', toolCalls: [] },
  ];
  const tree = {
    node: {
      type: 1,
      children: [
        { type: 2, text: '  no ', lineBreakBefore: true },
        { type: 2, text: 'changes', lineBreakBefore: true },
      ],
    },
  };
  const chat = read('chat.json', {
    responderUsername: 'GitHub Copilot',
    initialLocation: 'panel',
    requests: [
      {
        message: { text: 'What is in a.txt?', parts: [] },
        timestamp: 1_783_841_008_121,
        variableData: { variables: [{ kind: 'file', name: 'file:a.txt' }] },
        modelId: 'copilot/model-x',
        response: [{ value: 'It says hello.' }],
        result: {
          metadata: {
            toolCallRounds: rounds,
            toolCallResults: {
              c1: { content: [{ value: 'hello' }] },
              c2: { content: [{ value: tree }] },
            },
          },
        },
      },
      {
        message: { text: 'And where is it used?', parts: [] },
        response: [
          { kind: 'thinking', value: 'Hm' },
          { value: 'In ' },
          { kind: 'inlineReference', name: 'b.ts' },
          { value: '.' },
        ],
        result: { errorDetails: { message: 'Canceled' } },
      },
    ],
  });

  it('gives what was typed, and what the model has said and called in each round', () => {
    expect(chat).toMatchObject({ source: 'vscode-chat', model: 'copilot/model-x' });
    const call = (id: string, name: string, given: string) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    });
    expect(chat.items).toEqual([
      { role: 'user', content: 'What is in a.txt?', timestamp: '2026-07-12T07:23:28.121Z' },
      {
        role: 'assistant',
        content: 'I read it.',
        tool_calls: [call('c1', 'read_file', '{"filePath":"/p/a.txt"}')],
        timestamp: '2026-07-12T07:23:29.000Z',
      },
      { role: 'tool', tool_call_id: 'c1', content: 'hello' },
      { role: 'assistant', content: null, tool_calls: [call('c2', 'get_changes', '{}')] },
      { role: 'tool', tool_call_id: 'c2', content: '  no \nchanges' },
      { role: 'assistant', content: 'It says hello.' },
      { role: 'user', content: 'And where is it used?' },
      { role: 'assistant', content: 'In b.ts.' },
    ]);
  });

  it('says what it has left out', () => {
    expect(chat.skipped).toEqual({ error: 1 });
    expect(chat.notes).toEqual(['Parts left out of messages: attached file (1).']);
  });
});
