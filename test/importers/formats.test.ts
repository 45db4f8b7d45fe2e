import { describe, expect, it } from 'vitest';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { ledgerOf, normalised } from '../support/log-items.ts';
import { bytesOf, fixture, jsonLines, readOne } from './fixtures.ts';

describe('a Codex rollout', () => {
  const read = readOne('codex.jsonl', fixture('codex.jsonl'));

  it('gives the payloads as they are, with usage on the output it belongs to', () => {
    expect(read).toMatchObject({ source: 'codex', format: 'openai-responses', model: 'gpt-x' });
    expect(read.items[0]?.timestamp).toBe('2026-02-03T10:00:21Z');
    expect(read.items.map(({ timestamp: _, ...item }) => item)).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List the files.' }] },
      { type: 'reasoning', summary: [], content: null, encrypted_content: 'opaque' },
      {
        type: 'function_call',
        name: 'exec_command',
        arguments: '{"cmd":"ls"}',
        call_id: 'c1',
        usage: {
          input_tokens: 100,
          output_tokens: 20,
          input_tokens_details: { cached_tokens: 60 },
        },
      },
      { type: 'function_call_output', call_id: 'c1', output: 'a.txt' },
      { type: 'ghost_snapshot', ghost_commit: { id: 'abc', parent: null } },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'There is a.txt.' }],
        usage: {
          input_tokens: 130,
          output_tokens: 10,
          input_tokens_details: { cached_tokens: 100 },
        },
      },
    ]);
  });

  it('counts the other lines by kind', () => {
    expect(read.skipped).toEqual({
      session_meta: 1,
      turn_context: 1,
      'event_msg:user_message': 1,
      'event_msg:token_count': 3,
      compacted: 1,
      'event_msg:context_compacted': 1,
    });
  });
});

describe('OpenAI chat messages', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is in a.txt?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'hello' },
    { role: 'assistant', content: 'It says hello.', reasoning_content: 'One word.' },
  ];

  it.each([
    ['chat-array.json', null, {}],
    ['chat-request.json', 'gpt-x', { model: 1, temperature: 1 }],
    ['chat-lines.jsonl', null, {}],
  ])('%s', (name, model, skipped) => {
    const read = readOne(name, fixture(name));
    expect(read).toMatchObject({ source: 'openai-chat', format: 'openai-chat', model, skipped });
    expect(read.items).toEqual(messages);
  });

  it('keeps a field whatever it is called', () => {
    const text = '[{"role":"user","content":"Go.","__proto__":{"role":"tool"},"constructor":1}]';
    const read = readOne('chat.json', new TextEncoder().encode(text));
    expect(JSON.stringify(read.items)).toBe(text);
  });

  it('takes texts as such that a recorder has named otherwise', () => {
    const [asked, , call] = messages;
    const answer = { role: 'tool', tool_call_id: 'c1' };
    const text = 'Exit code: 1\nWall time: 1 seconds\nOutput:\n1 failed';
    const recorded = [
      { ...asked, role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
      call,
      { ...answer, content: [{ type: 'tool_output', text }] },
    ];
    const read = readOne('chat.json', new TextEncoder().encode(JSON.stringify(recorded)));
    expect(read.items[0]?.content).toEqual([{ type: 'text', text: 'Go.' }]);
    expect(read.items[2]?.content).toEqual([{ type: 'text', text }]);
  });

  it('takes calls out of contents, where no provider would take them', () => {
    const said = { type: 'text', text: 'Looking.' };
    const part = { type: 'tool_call', tool_call_id: 'c1', name: 'cat', arguments: '{"path":"a"}' };
    const used = { type: 'tool_use', id: 'c2', name: 'ls', input: { path: '.' } };
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'cat', arguments: '{"path":"a"}' },
    };
    const recorded = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [part], tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'b' },
      { role: 'assistant', content: [said, used] },
      { role: 'tool', tool_call_id: 'c2', content: 'a' },
      { role: 'assistant', content: [said, { ...used, id: 'c3' }, { ...used, id: 'c3' }] },
      { role: 'tool', tool_call_id: 'c3', content: 'a' },
    ];
    const read = readOne('chat.json', new TextEncoder().encode(JSON.stringify(recorded)));
    expect(read.items[1]).toEqual({ role: 'assistant', content: null, tool_calls: [call] });
    const lifted = {
      id: 'c2',
      type: 'function',
      function: { name: 'ls', arguments: '{"path":"."}' },
    };
    expect(read.items[3]).toEqual({ role: 'assistant', content: [said], tool_calls: [lifted] });
    expect(read.items[5]).toMatchObject({ tool_calls: [{ ...lifted, id: 'c3' }] });
    expect(read.notes).toEqual([
      'Fields left out of messages: content:tool_call (1), content:tool_use (1).',
    ]);
  });

  it('takes usage and model out of what mini-swe-agent records', () => {
    const read = readOne('m.traj.json', fixture('mini-swe-agent.traj.json'));
    expect(read).toMatchObject({
      name: 'm',
      model: 'deep-chat',
      skipped: { 'role:exit': 1, info: 1, trajectory_format: 1 },
      notes: ['Fields left out of messages: extra (2).'],
    });
    expect(read.items).toHaveLength(4);
    expect(read.items[2]).toEqual({
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [
        {
          index: 0,
          id: 'c1',
          type: 'function',
          function: { name: 'bash', arguments: '{"command":"ls"}' },
        },
      ],
      usage: { prompt_tokens: 50, completion_tokens: 7 },
    });
    expect(read.items[3]).toEqual({ role: 'tool', tool_call_id: 'c1', content: 'a.py' });
  });

  it('reads one simulation a line, and tools that the user calls as text', () => {
    const [first, second, ...others] = readTranscripts('tau2.jsonl', fixture('tau2.jsonl'));
    expect(others).toEqual([]);
    expect(first?.name).toBe('tau2-1');
    expect(first?.items).toEqual([
      { role: 'assistant', content: 'Hello?' },
      { role: 'user', content: '[The user calls the tool check_signal with {"sim":1}]' },
      {
        role: 'user',
        content: "[Result of the user's tool check_signal]\nno bars",
        speaker: 'tool',
      },
      { role: 'user', content: 'No signal.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'reset', arguments: '{"line":"L1"}' } },
        ],
        usage: { prompt_tokens: 80, completion_tokens: 5 },
      },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ]);
    expect(first?.notes?.[0]).toBe(
      '1 tool calls and 1 tool results of the user are imported as text of user messages.',
    );
    expect(second).toMatchObject({
      name: 'tau2-2',
      items: [{ content: 'Hi' }, { content: 'Hello' }],
      skipped: { task_id: 1 },
    });
  });

  it('counts records without messages', () => {
    const [first] = readTranscripts('x.jsonl', jsonLines([{ messages }, { reward: 1 }]));
    expect(first?.skipped).toEqual({ record_without_messages: 1 });
  });
});

it('reads the history of a SWE-agent trajectory, with tool ids where there are any', () => {
  const read = readOne('swe-agent.traj', fixture('swe-agent.traj'));
  expect(read.source).toBe('swe-agent');
  expect(read.items).toEqual([
    { role: 'system', content: 'You work in a shell.' },
    { role: 'user', content: 'A demonstration.', speaker: 'program' },
    { role: 'assistant', content: 'List.\n```\nls\n```' },
    { role: 'user', content: 'a', speaker: 'tool' },
    {
      role: 'assistant',
      content: 'Read.',
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'bash', arguments: '{"command":"cat a"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'text' },
  ]);
  expect(read.skipped).toEqual({ environment: 1, trajectory: 2, info: 1 });
});

it('reads the history of another program as the chat that it is', () => {
  const history = [
    { role: 'user', content: 'Plan a trip.' },
    { role: 'assistant', content: 'Where to?' },
    { role: 'user', content: 'To Oslo, never by plane.' },
  ];
  const read = readOne('chat.json', bytesOf(JSON.stringify({ history, question: 'x' })));
  expect(read).toMatchObject({ source: 'openai-chat', items: history, skipped: { question: 1 } });
});

it('reads the simulations that tau2-bench has written into one file', () => {
  const simulations = [
    [{ role: 'user', content: 'Cancel it.' }],
    [{ role: 'user', content: 'Hi' }],
  ];
  const file = { tasks: [], simulations: simulations.map((messages) => ({ messages })) };
  const read = readTranscripts('results.json', bytesOf(JSON.stringify(file)));
  expect(read.map(({ items }) => items)).toEqual(simulations);
});

describe('a pi session', () => {
  it('becomes Anthropic messages', () => {
    const read = readOne('pi.jsonl', fixture('pi.jsonl'));
    expect(read).toMatchObject({
      source: 'pi',
      format: 'anthropic',
      model: 'claude-x',
      notes: ['Blocks left out of messages: thinking without signature (1).'],
    });
    expect(read.items.map(({ timestamp: _, ...item }) => item)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Read a.txt' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Read it.', signature: 'sig' },
          { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a.txt' } },
        ],
        model: 'claude-x',
        usage: {
          input_tokens: 10,
          output_tokens: 5,
          cache_read_input_tokens: 3,
          cache_creation_input_tokens: 2,
        },
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [{ type: 'text', text: 'no such file' }],
            is_error: true,
          },
        ],
      },
      {
        role: 'user',
        content: 'The user ran a shell command (exit code 0):\n$ ls\nb.txt',
        speaker: 'tool',
      },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'There is b.txt.' }],
        model: 'claude-x',
        usage: {
          input_tokens: 0,
          output_tokens: 0,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        },
      },
    ]);
    expect(read.skipped).toEqual({
      session: 1,
      recorded_compaction: 1,
      'empty_message:aborted': 1,
      model_change: 1,
    });
  });

  it('follows the newest leaf where entries form a tree', () => {
    const entry = (id: string, parentId: string | null, content: string) => ({
      type: 'message',
      id,
      parentId,
      message: { role: 'user', content },
    });
    const lines = [entry('1', null, 'Hi'), entry('2', '1', 'Left'), entry('3', '1', 'Right')];
    const read = readOne('pi.jsonl', jsonLines(lines));
    expect(read.items.map((item) => item.content)).toEqual(['Hi', 'Right']);
    expect(read.skipped).toEqual({ other_branch: 1 });
  });

  it('goes on from the line before where the file lacks the one that is followed', () => {
    const entry = (id: string, parentId: string, content: string) =>
      JSON.stringify({ type: 'message', id, parentId, message: { role: 'user', content } });
    const lines = [
      entry('2', 'gone', 'First'),
      entry('3', '2', 'Second'),
      `${entry('4', '3', 'Damaged').slice(0, -9)}`,
      entry('5', '4', 'Third'),
    ];
    const read = readOne('pi.jsonl', Buffer.from(lines.join('\n')));
    expect(read.items.map((item) => item.content)).toEqual(['First', 'Second', 'Third']);
    expect(read.skipped).toEqual({ invalid_json: 1 });
  });
});

it('takes what extensions of pi put into the context, and says whose words they are', () => {
  const line = (id: string, parentId: string | null, more: object) => ({ id, parentId, ...more });
  const said = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
  const tree = '<system-reminder>\n<workspace-tree>\n.\n</workspace-tree>\n</system-reminder>';
  const lines = [
    line('a', null, { type: 'message', message: said }),
    line('b', 'a', { type: 'custom', customType: 'state', data: { n: 1 } }),
    line('c', 'b', { type: 'custom_message', customType: 'tree', content: tree, display: false }),
    line('d', 'c', { type: 'custom_message', customType: 'plan', content: 'Plan mode is on.' }),
  ];
  const read = readOne('pi.jsonl', jsonLines(lines));
  expect(read.skipped).toEqual({ custom: 1 });
  expect(read.items).toEqual([
    said,
    { role: 'user', content: tree, speaker: 'program' },
    { role: 'user', content: 'Plan mode is on.', speaker: 'hook' },
  ]);
});

it('reads a BEAM chat, all batches in order', () => {
  const read = readOne('beam-chat.json', fixture('beam-chat.json'));
  expect(read.items).toEqual([
    { role: 'user', content: 'I plan a trip.' },
    { role: 'assistant', content: 'Where to?' },
    { role: 'user', content: 'Rome.' },
    { role: 'assistant', content: 'In spring.' },
  ]);
  expect(read.skipped).toEqual({});
  expect(read.notes).toEqual(['Fields left out of messages: id (4), index (1).']);
});

it('leaves out the turns of a Codex rollout that the user has gone back behind', () => {
  const said = (role: string, text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
  });
  const lines = [
    { type: 'session_meta', payload: { id: 'x' } },
    said('user', 'First.'),
    said('assistant', 'One.'),
    said('user', 'Second.'),
    said('assistant', 'Two.'),
    said('user', '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>'),
    said('user', 'Third.'),
    { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 2 } },
    said('user', 'Other.'),
  ];
  const read = readOne(
    'r.jsonl',
    Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
  );
  expect(JSON.stringify(read.items).match(/First|One|Second|Two|Third|Other/g)).toEqual([
    ...['First', 'One', 'Other'],
  ]);
  expect(read.skipped).toMatchObject({ other_branch: 4 });
});

it('takes what Codex has told the model for a turn with that turn', () => {
  const said = (role: string, text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
  });
  const folder = (name: string) =>
    `<environment_context>\n  <cwd>/${name}</cwd>\n</environment_context>`;
  const lines = [
    { type: 'session_meta', payload: { id: 'x' } },
    said('user', folder('first')),
    said('user', 'First.'),
    said('assistant', 'One.'),
    said('developer', 'Ask before you write.'),
    said('user', folder('second')),
    said('user', 'Second.'),
    said('assistant', 'Two.'),
  ];
  const read = (num_turns: number) => {
    const back = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns } };
    const text = [...lines, back].map((line) => JSON.stringify(line)).join('\n');
    return JSON.stringify(readOne('r.jsonl', Buffer.from(text)).items).match(
      /first|First|One|Ask|second|Second|Two/g,
    );
  };
  expect(read(1)).toEqual(['first', 'First', 'One']);
  // What stands before all turns is there for the next one.
  expect(read(2)).toEqual(['first']);
});

describe('an answer alone', () => {
  const of = (answer: object) => readOne('answer.json', Buffer.from(JSON.stringify(answer)));

  it('of the Messages API is one of Anthropic, however plain it is', () => {
    const content = [{ type: 'text', text: 'Hi' }];
    const answer = { type: 'message', role: 'assistant', model: 'm', content, stop_reason: null };
    expect(of(answer)).toMatchObject({ format: 'anthropic', model: 'm', items: [{ content }] });
  });

  it('of Chat Completions is its first choice', () => {
    const message = { role: 'assistant', content: 'Hi', refusal: null, annotations: [] };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const read = of({ object: 'chat.completion', model: 'm', choices });
    expect(read).toMatchObject({ source: 'openai-answers', format: 'openai-chat', model: 'm' });
    expect(read.items).toEqual([{ role: 'assistant', content: 'Hi', model: 'm' }]);
    expect(read.notes?.join()).toContain('request');
  });

  it('of Responses is its output', () => {
    const output = [{ type: 'message', role: 'assistant', id: 'msg_1', content: [] }];
    const read = of({ object: 'response', model: 'm', status: 'completed', output });
    expect(read).toMatchObject({ format: 'openai-responses', model: 'm', items: output });
  });
});

describe('calls of chat messages', () => {
  const of = (calls: unknown[], ...results: object[]) =>
    readOne(
      'chat.json',
      Buffer.from(
        JSON.stringify([{ role: 'assistant', content: '', tool_calls: calls }, ...results]),
      ),
    ).items;
  const call = (id: string, name: string) => ({
    id,
    type: 'function',
    function: { name, arguments: '{"path":"a.ts"}' },
  });

  it.each([
    ['LangChain', { name: 'read', args: { path: 'a.ts' }, id: 'c1', type: 'tool_call' }],
    ['Hugging Face', { id: 'c1', name: 'read', arguments: { path: 'a.ts' } }],
    ['Anthropic', { id: 'c1', name: 'read', input: { path: 'a.ts' } }],
  ])('keep their arguments as %s writes them', (_, written) => {
    expect(of([written])).toMatchObject([{ tool_calls: [call('c1', 'read')] }]);
  });

  it('without ids get some, and their results too', () => {
    const bare = (name: string) => ({ function: { name, arguments: { path: 'a.ts' } } });
    const items = of(
      [bare('read'), bare('list'), bare('read')],
      { role: 'tool', tool_name: 'list', content: 'of list' },
      { role: 'tool', id: 'm7', content: 'of read' },
      { role: 'tool', name: 'read', content: 'of the other' },
      { role: 'tool', content: 'of none' },
    );
    const [first, second, third] = ['call_unnamed_1', 'call_unnamed_2', 'call_unnamed_3'] as const;
    expect(items).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [call(first, 'read'), call(second, 'list'), call(third, 'read')],
      },
      { role: 'tool', tool_call_id: second, content: 'of list' },
      { role: 'tool', tool_call_id: first, content: 'of read' },
      { role: 'tool', tool_call_id: third, name: 'read', content: 'of the other' },
      { role: 'user', speaker: 'tool', content: 'of none' },
    ]);
  });
});

describe('results of calls that are recorded without ids', () => {
  const resultsOf = (calls: object[], ...results: object[]) =>
    readOne(
      'chat.json',
      Buffer.from(
        JSON.stringify([{ role: 'assistant', content: '', tool_calls: calls }, ...results]),
      ),
    )
      .items.slice(1)
      .map(({ tool_call_id, content }) => [tool_call_id, content]);
  const call = (name: string, id?: unknown) => ({ id, function: { name, arguments: '{}' } });
  const result = (content: string, fields: object = {}) => ({ role: 'tool', content, ...fields });
  const [first, second] = ['call_unnamed_1', 'call_unnamed_2'];

  it.each<[string, unknown, unknown]>([
    [
      'with an empty one',
      resultsOf([call('a', '')], result('of a', { tool_call_id: '' })),
      [[first, 'of a']],
    ],
    [
      'with a number',
      resultsOf(
        [call('a', 7), call('b', 8)],
        result('of b', { tool_call_id: 8 }),
        result('of a', { tool_call_id: 7 }),
      ),
      [
        ['8', 'of b'],
        ['7', 'of a'],
      ],
    ],
    [
      'of another tool',
      resultsOf(
        [call('a'), call('b')],
        result('of c', { name: 'c' }),
        result('of a', { name: 'a' }),
      ),
      [
        [undefined, 'of c'],
        [first, 'of a'],
      ],
    ],
    [
      'beside one that has an id',
      resultsOf(
        [call('a'), call('b', 'x'), call('c')],
        result('of b', { name: 'b' }),
        result('of a'),
        result('of c'),
      ),
      [
        ['x', 'of b'],
        [first, 'of a'],
        [second, 'of c'],
      ],
    ],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected));
});

/** As the Anthropic SDK lists them. */
const MANAGED = {
  id: 'sevt_1',
  processed_at: '2026-08-16T09:36:05Z',
  type: 'agent.message',
  content: [{ type: 'text', text: 'I begin.' }],
};

it.each<[string, unknown, string]>([
  ['LangChain', [{ type: 'human', data: { content: 'Hi' } }], 'convert_to_openai_messages'],
  [
    'LangChain, serialised',
    { lc: 1, type: 'constructor', id: ['langchain_core'], kwargs: {} },
    'LangChain',
  ],
  ['Cline', [{ ts: 1, type: 'say', say: 'text', text: 'Hi' }], 'api_conversation_history.json'],
  ['OpenHands', [{ id: 0, source: 'user', action: 'message', args: {} }], 'log_completions'],
  [
    'OpenHands, one record for each task',
    { instance_id: 'a', history: [{ source: 'user', action: 'message', args: {} }] },
    'log_completions',
  ],
  ['AutoGen', [{ source: 'writer', type: 'TextMessage', content: 'Hi' }], '"name"'],
  ['ShareGPT', [{ conversations: [{ from: 'human', value: 'Hi' }] }], '"messages"'],
  [
    'hooks of oh-my-opencode',
    [
      { type: 'user', timestamp: '2026-01-08T06:50:00.897Z', content: 'Read the skill.' },
      { type: 'tool_use', tool_name: 'read', tool_input: { filePath: '/w/SKILL.md' } },
    ],
    'opencode export',
  ],
  [
    'a team of agents',
    {
      history: [
        { role: 'human', content: 'When did it pass $50?' },
        { role: 'Orchestrator (thought)', content: 'Initial plan: ask WebSurfer.' },
        { role: 'WebSurfer', content: 'I clicked Yahoo Finance.' },
      ],
    },
    '"name"',
  ],
  [
    'a chat whose answers no API would know',
    {
      messages: [
        { role: 'user', content: 'Where to?' },
        { role: 'model', content: 'To Oslo.' },
      ],
    },
    '"assistant"',
  ],
  [
    'the history of a chat with Gemini',
    { history: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    '"tool_calls"',
  ],
  ['ChatGPT', [{ title: 'x', mapping: {} }], 'one branch'],
  ['claude.ai', [{ uuid: 'x', chat_messages: [] }], 'one a line'],
  ['Gemini', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }, '"tool_calls"'],
  [
    'Bedrock',
    [
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'b', input: {} } }] },
    ],
    'Anthropic API',
  ],
  [
    'Bedrock, with an answer that only reasons, and an empty one',
    [
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ reasoningContent: { reasoningText: { text: 'Hm' } } }] },
      { role: 'assistant', content: [] },
      { role: 'user', content: [{ text: 'Go on' }] },
    ],
    'Anthropic API',
  ],
  ['Bedrock, as a request', { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }, 'Bedrock'],
  [
    'Harbor',
    { schema_version: 'ATIF-v1.5', steps: [{ step_id: 1, source: 'user', message: 'Hi' }] },
    'the agent itself has kept',
  ],
  ['Managed Agents', [MANAGED], 'Managed Agents'],
  [
    'Managed Agents, in lines of a recorder that have a role',
    [
      { role: 'user', kind: 'define_outcome', raw: MANAGED },
      { role: 'agent', kind: 'message', content: 'I begin.', raw: MANAGED },
      { role: 'agent', kind: 'tool_use', tool: 'bash', content: '{"command":"ls"}', raw: MANAGED },
      { role: 'agent', kind: 'tool_result', content: 'README.md', raw: MANAGED },
      { role: 'system', kind: 'outcome_evaluation_end', content: 'satisfied', raw: MANAGED },
    ],
    'Managed Agents',
  ],
  ['a batch', { custom_id: 'a', body: { messages: [] } }, '"body"'],
])('says what to do about a file of %s', (_, file, advice) => {
  const read = () => readOne('x.json', Buffer.from(JSON.stringify(file)));
  expect(read).toThrow('x.json is in no known transcript format. It ');
  expect(read).toThrow(advice);
});

it.each<[string, string, object]>([
  [
    'plain messages in "input"',
    'openai-responses',
    { model: 'm', input: [{ role: 'user', content: 'Hi' }] },
  ],
  [
    'a search result in a message',
    'anthropic',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'search_result', source: 's', title: 't', content: [] }],
        },
      ],
    },
  ],
  [
    'what the provider has fetched',
    'anthropic',
    {
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [{ type: 'web_fetch_tool_result', tool_use_id: 's', content: {} }],
        },
      ],
    },
  ],
  [
    'a picture that the provider has drawn',
    'openai-responses',
    { input: [{ type: 'image_generation_call', id: 'ig_1', result: '', status: 'completed' }] },
  ],
])('knows the format of %s', (_, format, body) => {
  expect(readOne('body.json', Buffer.from(JSON.stringify(body))).format).toBe(format);
});

it.each<[string, Buffer]>([
  [
    'UTF-16, as PowerShell writes it',
    Buffer.from('\ufeff[{"role":"user","content":"Grüße"}]', 'utf16le'),
  ],
  ['UTF-8 with a mark', Buffer.from('\ufeff[{"role":"user","content":"Grüße"}]')],
])('reads %s', (_, bytes) => {
  expect(readOne('chat.json', bytes).items).toEqual([{ role: 'user', content: 'Grüße' }]);
});

it('reads a Gemini CLI chat of lines: the newest state of each message, without what was taken back', () => {
  const said = (id: string, type: string, text: string, more = {}) => ({
    id,
    timestamp: '2026-05-01T10:00:00.000Z',
    type,
    content: [{ text }],
    ...more,
  });
  const call = { id: 'read-1', name: 'read_file', args: { path: 'a.ts' }, status: 'success' };
  const output = {
    functionResponse: { id: 'read-1', name: 'read_file', response: { output: 'A' } },
  };
  const header = {
    sessionId: 's',
    projectHash: 'p',
    startTime: 't',
    lastUpdated: 't',
    kind: 'main',
  };
  const lines = [
    header,
    said('u1', 'user', 'Read a.ts.'),
    { $set: { lastUpdated: 't' } },
    said('g1', 'gemini', 'I read it.', { model: 'gemini-x' }),
    said('g1', 'gemini', 'I read it.', {
      model: 'gemini-x',
      toolCalls: [{ ...call, result: [output] }],
    }),
    said('u2', 'user', 'Delete it.'),
    said('g2', 'gemini', 'Deleted.', { model: 'gemini-x' }),
    { $rewindTo: 'u2' },
    { $set: { messages: [said('new', 'user', 'A summary of it all.')] } },
    said('u3', 'user', 'Keep it.'),
  ];
  const read = readOne(
    'session.jsonl',
    Buffer.from(lines.map((line) => JSON.stringify(line)).join('\r\n')),
  );
  expect(read).toMatchObject({ source: 'gemini-cli', format: 'openai-chat', model: 'gemini-x' });
  expect(read.items.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Read a.ts.'],
    ['assistant', 'I read it.'],
    ['tool', 'A'],
    ['user', 'Keep it.'],
  ]);
  expect(read.skipped).toMatchObject({ other_branch: 2, shortened_history: 1, metadata: 1 });
});

it('tells what the user of Gemini CLI typed from what the command says in its place', () => {
  const said = (id: string, text: string, typed?: string) => ({
    ...{ id, timestamp: 't', type: 'user', content: [{ text }] },
    ...(typed !== undefined && { displayContent: [{ text: typed }] }),
  });
  const prompt = '# GIT MANAGER AGENT\n\nNever force push without explicit approval!';
  const document = {
    ...{ sessionId: 's', projectHash: 'p', startTime: 't', lastUpdated: 't' },
    messages: [
      said('1', prompt, '/git'),
      said('2', 'look at @a.ts\n--- Content from referenced files ---\nA', 'look at @a.ts'),
      said('3', '/src is empty\nA', '/src is empty'),
    ],
  };
  const read = readOne('session.json', Buffer.from(JSON.stringify(document)));
  expect(read.items.map(({ content, is_meta }) => [content, is_meta])).toEqual([
    ['/git', undefined],
    [prompt, true],
    ['look at @a.ts\n--- Content from referenced files ---\nA', undefined],
    ['/src is empty\nA', undefined],
  ]);
  const { requests, constraints } = ledgerOf(normalised('openai-chat', read.items.slice(0, 2)));
  expect(requests.map(({ text }) => text)).toEqual(['/git']);
  expect(constraints).toEqual([]);
});

it('counts a picture in a chat of Gemini CLI once, though it stands in what was shown as well', () => {
  const content = [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }];
  const document = {
    ...{ sessionId: 's', projectHash: 'p', startTime: 't', lastUpdated: 't' },
    messages: [{ id: '1', timestamp: 't', type: 'user', content, displayContent: content }],
  };
  const read = readOne('session.json', Buffer.from(JSON.stringify(document)));
  expect(read.notes).toEqual(['Parts left out of messages: inlineData (1).']);
});

it('keeps what Antigravity tells the model of tasks and subagents, between no call and its answer', () => {
  const told = (content: string) =>
    `The following is a <SYSTEM_MESSAGE> not actually sent by the user. It is provided by the system as important information to pay attention to.\n\n<SYSTEM_MESSAGE>\n[Message] timestamp=t sender=e951b17f-edd0 priority=MESSAGE_PRIORITY_HIGH content=${content}\n</SYSTEM_MESSAGE>`;
  const steps = [
    ['USER_EXPLICIT', 'USER_INPUT', { content: 'Look it up.' }],
    ['MODEL', 'PLANNER_RESPONSE', { tool_calls: [{ name: 'search_web', args: {} }] }],
    ['SYSTEM', 'SYSTEM_MESSAGE', { content: told('## Found: three libraries') }],
    ['MODEL', 'SEARCH_WEB', { content: 'a page' }],
    ['SYSTEM', 'SYSTEM_MESSAGE', { content: told('## Found: a fourth') }],
    ['MODEL', 'PLANNER_RESPONSE', { content: 'Four.' }],
  ] as const;
  const lines = steps.map(([source, type, more], step_index) =>
    JSON.stringify({ step_index, source, type, status: 'DONE', ...more }),
  );
  const read = readOne('transcript.jsonl', Buffer.from(lines.join('\n')));
  expect(read.items.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Look it up.'],
    ['assistant', null],
    ['tool', 'a page'],
    ['user', told('## Found: three libraries')],
    ['user', told('## Found: a fourth')],
    ['assistant', 'Four.'],
  ]);
  expect(read.skipped).toEqual({});
  expect(read.notes).toBeUndefined();
});

it('reads a transcript of Antigravity, whose steps answer calls in their order', () => {
  const path = 'c:\\w\\a.ts';
  const quoted = (value: unknown) => JSON.stringify(value);
  const times = 'Created At: 2026-05-25T09:30:23Z\nCompleted At: 2026-05-25T09:30:23Z\n';
  const shown = `${times}File Path: \`file:///c:/w/a.ts\`\nTotal Lines: 2\nTotal Bytes: 4\nShowing lines 1 to 2\nThe following code has been modified to include a line number before every line, in the format: <line_number>: <original_line>. Please note.\n1: a\n2: b\nThe above content shows the entire, complete file contents of the requested file.\n`;
  const step = (source: string, type: string, more: object) => ({
    source,
    type,
    status: 'DONE',
    ...more,
  });
  const lines = [
    step('USER_EXPLICIT', 'USER_INPUT', {
      created_at: 't0',
      content:
        '<USER_REQUEST>\n¿Puedes ver a.ts?\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nOpen: b.ts\n</ADDITIONAL_METADATA>',
    }),
    step('SYSTEM', 'EPHEMERAL_MESSAGE', { content: 'Do NOT respond to this message.' }),
    step('MODEL', 'PLANNER_RESPONSE', {
      thinking: 'Hm.',
      tool_calls: [
        { name: 'view_file', args: { AbsolutePath: quoted(path), toolAction: quoted('Reading') } },
        {
          name: 'run_command',
          args: { CommandLine: quoted('npm test'), Cwd: quoted('c:\\w'), WaitMsBeforeAsync: '500' },
        },
        {
          name: 'multi_replace_file_content',
          args: {
            TargetFile: quoted(path),
            ReplacementChunks: quoted([
              { TargetContent: 'a', ReplacementContent: 'c', AllowMultiple: false },
            ]),
          },
        },
      ],
    }),
    step('MODEL', 'VIEW_FILE', { content: shown }),
    step('MODEL', 'RUN_COMMAND', {
      content: `${times}\n\t\t\t\tThe command failed with exit code: 1\n\t\t\t\tOutput:\n\t\t\t\tError: no test\n`,
    }),
    step('SYSTEM', 'ERROR_MESSAGE', {
      content: 'Created At: t\nError invalid tool call: cut short',
    }),
    step('MODEL', 'PLANNER_RESPONSE', { content: 'Listo.' }),
  ].map((line, step_index) => ({ step_index, ...line }));
  const read = readOne(
    'transcript.jsonl',
    Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
  );
  expect(read).toMatchObject({ source: 'antigravity', format: 'openai-chat' });
  expect(read.items.map(({ role, content }) => [role, content])).toEqual([
    ['user', '¿Puedes ver a.ts?'],
    ['assistant', null],
    ['tool', shown.slice(times.length)],
    [
      'tool',
      '\n\t\t\t\tThe command failed with exit code: 1\n\t\t\t\tOutput:\n\t\t\t\tError: no test\n',
    ],
    ['tool', 'Error invalid tool call: cut short'],
    ['assistant', 'Listo.'],
  ]);
  expect(read.items[0]).toMatchObject({ timestamp: 't0' });
  expect(read.skipped).toEqual({ EPHEMERAL_MESSAGE: 1 });
  expect(read.notes).toEqual([
    'Parts left out of messages: ADDITIONAL_METADATA (1), thinking (1).',
  ]);
  const { files, failures } = ledgerOf(normalised('openai-chat', read.items));
  expect(files).toMatchObject([{ path: 'C:/w/a.ts', reads: 1, edits: 0 }]);
  expect(failures.map(({ lines }) => lines[0])).toEqual([
    'Error: no test',
    'Error invalid tool call: cut short',
  ]);
});

it('reads a transcript of Cursor, which holds no results', () => {
  const said = (role: string, ...content: object[]) => ({ role, message: { content } });
  const text = (text: string) => ({ type: 'text', text });
  const asked = said(
    'user',
    text(
      '<timestamp>Monday, Apr 27, 2026, 1:32 PM (UTC-7)</timestamp>\n<user_query>\nmake this just 1 function\n</user_query>',
    ),
  );
  const button =
    'Stage the listed unstaged changes, commit, and push for this branch.\n- Current branch: main.';
  const edit = { path: '/w/mlp.py', old_string: 'a', new_string: 'b' };
  const look = { type: 'tool_use', name: 'Shell', input: { command: 'nvidia-smi' } };
  const lines = [
    asked,
    asked,
    said(
      'assistant',
      text('I merge them.'),
      { type: 'tool_use', name: 'StrReplace', input: edit },
      { type: 'tool_use', name: 'Shell', input: { command: 'pytest', description: 'test' } },
    ),
    said('user', text(`${button}\n<user_query>\nExecute the action.\n</user_query>`)),
    said('assistant', text('Pushed.\n\n[REDACTED]')),
    said('user', text('Your previous response was interrupted. Continue from where you left off.')),
    said('assistant', text('[REDACTED]'), look),
    said('assistant', text('[REDACTED]'), look),
    { type: 'turn_ended', status: 'success' },
    said('user', text('And the docs?')),
  ];
  const read = readOne(
    '1b.jsonl',
    Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
  );
  const gone = '[Results are not in transcripts of Cursor]';
  expect(read).toMatchObject({
    source: 'cursor',
    format: 'anthropic',
    items: [
      { role: 'user', content: 'make this just 1 function', timestamp: '2026-04-27T20:32:00.000Z' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I merge them.' },
          { type: 'tool_use', id: 'call_1', name: 'StrReplace', input: edit },
          { type: 'tool_use', id: 'call_2', name: 'Shell' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: gone },
          { type: 'tool_result', tool_use_id: 'call_2', content: gone },
        ],
      },
      { role: 'user', content: button, is_meta: true },
      { role: 'user', content: 'Execute the action.' },
      { role: 'assistant', content: [{ type: 'text', text: 'Pushed.' }] },
      { role: 'user', is_meta: true },
      { role: 'assistant', content: [{ ...look, id: 'call_3' }] },
      { role: 'user', content: [{ tool_use_id: 'call_3', content: gone }] },
      { role: 'assistant', content: [{ ...look, id: 'call_4' }] },
      { role: 'user', content: [{ tool_use_id: 'call_4', content: gone }] },
      { role: 'user', content: 'And the docs?' },
    ],
    skipped: { repeated_message: 1, turn_ended: 1 },
  });
  const { files, runs, requests } = ledgerOf(normalised('anthropic', read.items));
  expect(files).toMatchObject([{ path: '/w/mlp.py', edits: 1 }]);
  expect(runs).toMatchObject([{ command: 'pytest', outcome: 'unknown' }]);
  expect(requests.map(({ text }) => text)).toEqual([
    'make this just 1 function',
    'Execute the action.',
    'And the docs?',
  ]);
});

it('reads a request in a transcript of Antigravity whose end has been cut off', () => {
  const note =
    'NOTE: The output was truncated because it was too long. Use a more targeted query or a smaller range.';
  const cut = {
    step_index: 0,
    source: 'USER_EXPLICIT',
    type: 'USER_INPUT',
    content: `<USER_REQUEST>\nBuild the page like this:\n<truncated 4521 bytes>\n\n${note}`,
  };
  const read = readOne('transcript.jsonl', Buffer.from(JSON.stringify(cut)));
  expect(read.items).toEqual([
    { role: 'user', content: 'Build the page like this:\n<truncated 4521 bytes>' },
  ]);
});

it('reads a Gemini CLI chat, calls and their results apart', () => {
  const read = readOne('gemini-cli.json', fixture('gemini-cli.json'));
  expect(read).toMatchObject({ source: 'gemini-cli', format: 'openai-chat', model: 'gemini-x' });
  expect(read.items).toEqual([
    { role: 'user', content: 'List files' },
    {
      role: 'assistant',
      content: 'Listing.',
      model: 'gemini-x',
      tool_calls: [
        { id: 'g1', type: 'function', function: { name: 'ls', arguments: '{"dir":"."}' } },
        { id: 'g2', type: 'function', function: { name: 'rm', arguments: '{}' } },
      ],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 5,
        total_tokens: 25,
        prompt_tokens_details: { cached_tokens: 5 },
      },
    },
    { role: 'tool', tool_call_id: 'g1', content: 'a.txt' },
    { role: 'user', content: 'Thanks' },
  ]);
  expect(read.skipped).toEqual({ call_without_result: 1, 'message:info': 1, sessionId: 1 });
});

it('reads Copilot CLI events', () => {
  const read = readOne('copilot-cli.jsonl', fixture('copilot-cli.jsonl'));
  expect(read).toMatchObject({ source: 'copilot-cli', format: 'openai-chat', model: 'claude-x' });
  expect(read.items.map(({ timestamp: _, ...item }) => item)).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'View a.txt' },
    {
      role: 'assistant',
      content: null,
      model: 'claude-x',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'view', arguments: '{"path":"a.txt"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'Path does not exist' },
    { role: 'user', content: 'Then stop.' },
  ]);
  expect(read.skipped).toEqual({
    'session.start': 1,
    'session.model_change': 1,
    'tool.execution_start': 1,
    repeated_system_message: 1,
    empty_message: 1,
    abort: 1,
  });
});
