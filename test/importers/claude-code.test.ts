import { describe, expect, it } from 'vitest';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { fixture, jsonLines, readOne, sum } from './fixtures.ts';

const transcript = readOne('claude-code.jsonl', fixture('claude-code.jsonl'));

type Line = Record<string, unknown>;

function user(uuid: string, parentUuid: string | null, content: unknown, more: Line = {}): Line {
  return { type: 'user', uuid, parentUuid, message: { role: 'user', content }, ...more };
}

function assistant(uuid: string, parentUuid: string | null, id: string, ...content: Line[]): Line {
  return { type: 'assistant', uuid, parentUuid, message: { id, role: 'assistant', content } };
}

const text = (value: string): Line => ({ type: 'text', text: value });
const call = (id: string): Line => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string): Line => ({ type: 'tool_result', tool_use_id: id, content: 'x' });

function contents(lines: Line[]): unknown[] {
  return readOne('x.jsonl', jsonLines(lines)).items.map((item) => item.content);
}

describe('a Claude Code session', () => {
  it('gives the history of the newest leaf in file order', () => {
    expect(transcript).toMatchObject({
      name: 'claude-code',
      source: 'claude-code',
      format: 'anthropic',
      model: 'claude-x',
    });
    expect(transcript.items.map((item) => item.content ?? item.attachment)).toEqual([
      'How many lines has main.txt?',
      [{ type: 'thinking', thinking: 'Count, then list.', signature: 'sig' }],
      [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'wc -l main.txt' } }],
      [{ type: 'tool_result', tool_use_id: 't1', content: '12 main.txt' }],
      [{ type: 'tool_use', id: 't2', name: 'LS', input: { path: '.' } }],
      [{ type: 'tool_result', tool_use_id: 't2', content: 'main.txt' }],
      [{ type: 'text', text: 'It has 12 lines.' }],
      'Add one line.',
      { kind: 'todo', content: [{ id: '1', subject: 'Add a line', status: 'pending' }] },
      'Caveat: local command',
      [{ type: 'text', text: 'API Error: overloaded' }],
    ]);
  });

  it('counts everything else by kind', () => {
    expect(transcript.skipped).toEqual({
      summary: 1,
      'file-history-snapshot': 1,
      other_branch: 1,
      progress: 1,
      sidechain: 1,
      'system:turn_duration': 1,
      compact_boundary: 1,
      recorded_summary: 1,
      'attachment:skill_listing': 1,
      mode: 1,
      invalid_json: 1,
    });
    expect(transcript.items.length + sum(transcript.skipped)).toBe(22);
  });

  it('carries usage on the last line of a message only, and own fields where they are set', () => {
    expect(transcript.items[1]).not.toHaveProperty('usage');
    expect(transcript.items[2]).not.toHaveProperty('usage');
    expect(transcript.items[4]).toMatchObject({
      id: 'm1',
      model: 'claude-x',
      usage: { input_tokens: 100, output_tokens: 40 },
    });
    expect(transcript.items[9]).toMatchObject({ role: 'user', is_meta: true });
    expect(transcript.items[10]).toMatchObject({ role: 'assistant', is_api_error_message: true });
    expect(transcript.items[0]).toMatchObject({ role: 'user', timestamp: '2026-02-03T10:00:01Z' });
    expect(transcript.items[0]).not.toHaveProperty('is_meta');
  });

  it('takes no model from messages that the tool made up', () => {
    const message = { role: 'assistant', model: '<synthetic>', content: [text('API Error')] };
    const line = { type: 'assistant', uuid: 'a1', parentUuid: 'u1', message };
    expect(readOne('x.jsonl', jsonLines([user('u1', null, 'Hi'), line])).model).toBeNull();
  });
});

describe('the branch of a Claude Code session', () => {
  it('keeps results of parallel calls that hang beside the chain', () => {
    const lines = [
      user('u1', null, 'Hi'),
      assistant('a1', 'u1', 'm1', call('t1')),
      assistant('a2', 'a1', 'm1', call('t2')),
      user('r1', 'a1', [result('t1')]),
      user('r2', 'a2', [result('t2')]),
      assistant('a3', 'r2', 'm2', text('Done')),
    ];
    expect(contents(lines)).toEqual(lines.map((line) => (line.message as Line).content));
  });

  it('keeps the other lines of a message when the chain goes on from its first result', () => {
    const lines = [
      user('u1', null, 'Hi'),
      assistant('a1', 'u1', 'm1', call('t1')),
      user('r1', 'a1', [result('t1')]),
      assistant('a2', 'a1', 'm1', call('t2')),
      user('r2', 'a2', [result('t2')]),
      user('s2', 'r2', 'Skill text', { isMeta: true, sourceToolUseID: 't2' }),
      assistant('a3', 'r1', 'm2', text('Done')),
    ];
    expect(contents(lines)).toHaveLength(7);
  });

  it('leaves out an abandoned branch, also a second answer to the same call', () => {
    const lines = [
      user('u1', null, 'Hi'),
      assistant('a1', 'u1', 'm1', call('t1')),
      user('r1', 'a1', [result('t1')]),
      assistant('a2', 'r1', 'm2', text('First try')),
      user('u2', 'a2', 'No'),
      user('r1b', 'a1', [result('t1')]),
      assistant('a3', 'r1b', 'm3', text('Second try')),
    ];
    const read = readOne('x.jsonl', jsonLines(lines));
    expect(read.items.map((item) => item.content)).toEqual([
      'Hi',
      [call('t1')],
      [result('t1')],
      [text('Second try')],
    ]);
    expect(read.skipped).toEqual({ other_branch: 3 });
  });

  it.each([
    ['a boundary whose predecessor is missing', { logicalParentUuid: 'gone' }],
    ['a boundary that names no predecessor', {}],
  ])('bridges %s', (_name, more) => {
    const boundary = { type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null };
    const lines = [user('u1', null, 'Old'), { ...boundary, ...more }, user('u2', 'b', 'New')];
    expect(contents(lines)).toEqual(['Old', 'New']);
  });

  it('does not join two roots without a boundary', () => {
    const read = readOne('x.jsonl', jsonLines([user('u1', null, 'Old'), user('u2', null, 'New')]));
    expect(read.items.map((item) => item.content)).toEqual(['New']);
    expect(read.skipped).toEqual({ other_branch: 1 });
  });

  it('imports a file of one agent, and survives copied lines and circles', () => {
    const side = { isSidechain: true, agentId: 'ag1' };
    const lines = [user('u1', 'u2', 'Go', side), user('u2', 'u1', 'On', side)];
    const read = readOne('agent.jsonl', jsonLines([...lines, lines[0]]));
    expect(read.items).toMatchObject([{ content: 'Go' }, { content: 'On' }]);
    // In a file of its own the agent is the assistant, and who asks it is the user.
    expect(read.items.filter((item) => 'agent_id' in item)).toEqual([]);
    expect(read.skipped).toEqual({ repeated_uuid: 1 });
  });
});

describe('what the user types while Claude Code works', () => {
  const at = (second: number) => ({ timestamp: `2026-02-13T02:26:0${second}.000Z` });
  const queue = (operation: string, second: number, content?: string): Line => ({
    type: 'queue-operation',
    operation,
    sessionId: 's',
    ...at(second),
    ...(content !== undefined && { content }),
  });
  const start = [
    user('u1', null, 'Fix the e-mail', at(0)),
    { ...assistant('a1', 'u1', 'm1', call('t1')), ...at(2) },
  ];
  const end = [
    user('r1', 'a1', [result('t1')], at(4)),
    { ...assistant('a2', 'r1', 'm2', text('Done.')), ...at(6) },
  ];
  const read = ['Fix the e-mail', [call('t1')], [result('t1')]];
  const last = [text('Done.')];

  it.each<[string, Line[], unknown[]]>([
    [
      'stands before the next answer, wherever the queue is told',
      [
        ...start,
        queue('enqueue', 1, 'Show [none] where there is none'),
        queue('enqueue', 3, 'and no migrations'),
        queue('remove', 4),
        queue('remove', 4),
        ...end,
      ],
      [...read, 'Show [none] where there is none', 'and no migrations', last],
    ],
    [
      'stands there once where an attachment tells it, too',
      [
        ...start,
        queue('enqueue', 1, 'Show [none]'),
        queue('remove', 4),
        end[0] ?? {},
        {
          type: 'attachment',
          uuid: 'k',
          parentUuid: 'r1',
          attachment: { type: 'queued_command', prompt: 'Show [none]', commandMode: 'prompt' },
        },
        { ...assistant('a2', 'k', 'm2', text('Done.')), ...at(6) },
      ],
      [...read, 'Show [none]', last],
    ],
    [
      'stays where it was told when a newer version goes on and writes attachments',
      [
        ...start,
        queue('enqueue', 1, 'Show [none]'),
        queue('remove', 4),
        ...end,
        user('u2', 'a2', 'And the tests', at(7)),
        { ...assistant('a3', 'u2', 'm3', call('t2')), ...at(7) },
        queue('enqueue', 7, 'all of them'),
        queue('remove', 8),
        user('r2', 'a3', [result('t2')], at(8)),
        {
          type: 'attachment',
          uuid: 'k',
          parentUuid: 'r2',
          attachment: { type: 'queued_command', prompt: 'all of them', commandMode: 'prompt' },
        },
        { ...assistant('a4', 'k', 'm4', text('Done.')), ...at(9) },
      ],
      [
        ...read,
        'Show [none]',
        last,
        'And the tests',
        [call('t2')],
        [result('t2')],
        'all of them',
        last,
      ],
    ],
    [
      'stays where it was read when the same words are said again',
      [
        ...start,
        queue('enqueue', 1, 'continue'),
        queue('remove', 4),
        ...end,
        queue('enqueue', 8, 'continue'),
        queue('dequeue', 8),
        user('u2', 'a2', 'continue', at(8)),
      ],
      [...read, 'continue', last, 'continue'],
    ],
    [
      'is the next message where it waits for the end of the turn',
      [
        ...start,
        ...end,
        queue('enqueue', 5, 'And the tests'),
        queue('enqueue', 5, 'all of them'),
        queue('dequeue', 7),
        user('u2', 'a2', 'And the tests\nall of them', at(7)),
        queue('remove', 8),
      ],
      [...read, last, 'And the tests\nall of them'],
    ],
    [
      'is left out where it was taken back or never read',
      [
        ...start,
        queue('enqueue', 1, 'Show nothing'),
        queue('popAll', 2, 'Show nothing'),
        queue('remove', 4),
        ...end,
        queue('enqueue', 7, 'And push'),
      ],
      [...read, last],
    ],
    [
      'is no command, no event and no notice',
      [
        ...start,
        queue('enqueue', 1, '/compact keep the names'),
        queue('enqueue', 1, '{"task_id":"b1","description":"Run the tests"}'),
        queue('enqueue', 1, '<task-notification>\n<task-id>b1</task-id>\n</task-notification>'),
        queue('enqueue', 1, '/home/me/a.txt is the one'),
        queue('remove', 4),
        ...end,
      ],
      [...read, '/home/me/a.txt is the one', last],
    ],
    [
      'is a command for the shell, which is a message of its own',
      [
        ...start,
        queue('enqueue', 1, 'git status'),
        queue('enqueue', 3, 'and no migrations'),
        queue('remove', 4),
        ...end,
        queue('dequeue', 7),
        user('u2', 'a2', '<bash-input>git status</bash-input>', at(7)),
      ],
      [...read, 'and no migrations', last, '<bash-input>git status</bash-input>'],
    ],
    [
      'stands there where an agent works beside it',
      [
        ...start,
        queue('enqueue', 1, 'Show [none]'),
        user('s1', null, 'Look for it', { isSidechain: true, ...at(3) }),
        queue('remove', 4),
        ...end,
      ],
      [...read, 'Show [none]', last],
    ],
    [
      'waits for the results of its round, which may be written behind it',
      [...start, queue('enqueue', 1, 'Show [none]'), queue('remove', 4)],
      read.slice(0, 2),
    ],
    [
      'goes with what was rewound',
      [
        ...start,
        queue('enqueue', 1, 'Show [none]'),
        queue('remove', 4),
        ...end,
        user('u3', null, 'Start over', at(8)),
      ],
      ['Start over'],
    ],
  ])('%s', (_, lines, items) => {
    expect(contents(lines)).toEqual(items);
  });

  it('is found in a long session without a look at all of it each time', () => {
    const lines: Line[] = [];
    for (let turn = 0; turn < 3_000; turn++) {
      const time = { timestamp: new Date(4_000 * turn).toISOString() };
      const before = turn === 0 ? null : `a${turn - 1}`;
      lines.push(user(`u${turn}`, before, `Question ${turn} ${'x'.repeat(300)}`, time));
      lines.push({ ...assistant(`a${turn}`, `u${turn}`, `m${turn}`, text('Yes.')), ...time });
      lines.push({ type: 'queue-operation', operation: 'enqueue', content: `Also ${turn}` });
      lines.push({ type: 'queue-operation', operation: 'remove', ...time });
    }
    const started = cpuMs();
    expect(contents(lines)).toHaveLength(9_000);
    expect(cpuMs() - started).toBeLessThan(3_000);
  });
});

describe('attachments of a Claude Code session', () => {
  it.each([
    [
      { type: 'file', filename: '/a', content: { type: 'text', file: { content: 'x' } } },
      { type: 'attachment', attachment: { kind: 'file', path: '/a', content: 'x' } },
    ],
    [
      { type: 'plan_file_reference', planFilePath: '/p.md', planContent: '1. go' },
      { type: 'attachment', attachment: { kind: 'plan', path: '/p.md', content: '1. go' } },
    ],
    [
      { type: 'nested_memory', path: '/M.md', content: { type: 'Project', content: 'Use tabs' } },
      { type: 'attachment', attachment: { kind: 'memory', path: '/M.md', content: 'Use tabs' } },
    ],
    [
      { type: 'todo_reminder', content: [], itemCount: 0 },
      { type: 'attachment', attachment: { kind: 'todo', content: [] } },
    ],
    [
      { type: 'queued_command', prompt: 'And tests', commandMode: 'prompt' },
      { role: 'user', content: 'And tests' },
    ],
    [
      { type: 'queued_command', prompt: '<note>', commandMode: 'task-notification' },
      { role: 'user', content: '<note>', is_meta: true },
    ],
    [
      {
        type: 'queued_command',
        prompt: '<task-notification>done</task-notification>',
        commandMode: 'task-notification',
      },
      { role: 'user', content: '<task-notification>done</task-notification>' },
    ],
    [
      { type: 'edited_text_file', filename: '/a' },
      { role: 'user', content: '/a was changed outside this conversation.', is_meta: true },
    ],
    [
      { type: 'edited_text_file', filename: '/a', snippet: '7\tx' },
      {
        role: 'user',
        content: 'Lines of /a after a change made outside this conversation:\n7\tx',
        is_meta: true,
      },
    ],
  ])('%j', (attachment, item) => {
    const line = { type: 'attachment', uuid: 'k', parentUuid: 'u1', attachment };
    const read = readOne('x.jsonl', jsonLines([user('u1', null, 'Hi'), line]));
    expect(read.items[1]).toEqual(item);
  });

  it.each([
    { type: 'file', filename: '/a.png', content: { type: 'image', file: { base64: 'x' } } },
    { type: 'goal_status', met: false },
  ])('skipped by kind: %j', (attachment) => {
    const line = { type: 'attachment', uuid: 'k', parentUuid: 'u1', attachment };
    const read = readOne('x.jsonl', jsonLines([user('u1', null, 'Hi'), line]));
    expect(read.skipped).toEqual({ [`attachment:${attachment.type}`]: 1 });
  });
});

describe('files of Claude Code that were put together', () => {
  const of = (sessionId: string) => ({ sessionId });
  const read = (lines: Line[]) =>
    readTranscripts('x.jsonl', jsonLines(lines)).map(({ name, items, skipped }) => ({
      name,
      said: items.map((item) => item.content),
      skipped,
    }));

  it('give a session for each that hangs together with no other', () => {
    const lines = [
      user('a1', null, 'Fix the build.', of('s1')),
      { ...assistant('a2', 'a1', 'm1', text('Fixed.')), ...of('s1') },
      { type: 'mode', ...of('s2') },
      user('b1', null, 'Which rules do you know?', of('s2')),
      { type: 'system', subtype: 'local_command', uuid: 'c1', parentUuid: null, ...of('s3') },
    ];
    expect(read(lines)).toEqual([
      {
        name: 'x-1',
        said: ['Fix the build.', [text('Fixed.')]],
        skipped: { 'system:local_command': 1 },
      },
      { name: 'x-2', said: ['Which rules do you know?'], skipped: { mode: 1 } },
    ]);
  });

  it('stay one where a session was resumed under another id, also when a line is missing', () => {
    const lines = [
      user('a1', null, 'Fix the build.', of('s1')),
      user('b1', 'a1', 'And the tests.', of('s2')),
      user('c1', 'gone', 'And the docs.', of('s3')),
      { type: 'system', subtype: 'compact_boundary', uuid: 'd0', parentUuid: null, ...of('s4') },
      user('d1', 'd0', 'Go on.', of('s4')),
    ];
    expect(read(lines).map(({ said }) => said)).toEqual([
      ['Fix the build.', 'And the tests.', 'And the docs.', 'Go on.'],
    ]);
  });
});
