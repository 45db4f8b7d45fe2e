import { describe, expect, it, test } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';
import type { EventData } from '../../../src/domain/session/events.ts';
import { assistant, attachment, call, result, text, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';

type Signal = EventData['signal.observed'];

/** The signals of the log, without their source, as `name@seq` and with the steps of a plan. */
function signalsOf(session: PureSession, from = 0): string[] {
  return session.log.slice(from).flatMap((event) => {
    if (event.type !== 'signal.observed' || event.data.source !== 'derived') return [];
    const { signal, seq, completed_steps: steps } = event.data;
    return [`${signal}@${seq}${steps === undefined ? '' : ` (${steps})`}`];
  });
}

/** A session to which these appends were made, one after the other. */
function sessionOf(...appends: Item[][]): PureSession {
  const session = new PureSession();
  for (const items of appends) session.append(...items);
  return session;
}

const COMMIT = { command: 'git commit -m x' };
const PR = { command: 'gh pr create' };

function plan(id: string, ...statuses: string[]): Item {
  return call(id, 'update_plan', { plan: statuses.map((status, n) => ({ step: `${n}`, status })) });
}

describe('scripts of code mode', () => {
  const script = (call_id: string, input: string): Item[] => [
    { type: 'custom_tool_call', call_id, name: 'exec', input },
    {
      type: 'custom_tool_call_output',
      call_id,
      output: [{ type: 'input_text', text: 'Script completed\nWall time 0.1 seconds\nOutput:\n' }],
    },
  ];

  it('count by the commands and plans in them', () => {
    const session = new PureSession({}, 'rawr', 'openai-responses');
    session.append(...script('a', 'await tools.exec_command({cmd: "git commit -m x"})'));
    session.append(
      ...script('b', 'await tools.update_plan({plan: [{step: "s", status: "completed"}]})'),
    );
    expect(signalsOf(session)).toEqual(['commit@3', 'plan_update@5', 'plan_checkpoint@5 (1)']);
  });
});

describe('commands', () => {
  it('count when their result comes and is no error', () => {
    const session = sessionOf([call('a', 'Bash', COMMIT)]);
    expect(signalsOf(session)).toEqual([]);
    session.append(result('a', 'ok'));
    expect(signalsOf(session)).toEqual(['commit@3']);
    expect(session.head.state.signals).toEqual(['commit']);
  });

  it('count when call and result come in one append', () => {
    expect(signalsOf(sessionOf([call('a', 'Bash', COMMIT), result('a', 'ok')]))).toEqual([
      'commit@3',
    ]);
  });

  it('count when the result stands before the call, in one append or in two', () => {
    const items = [result('a', 'ok'), call('a', 'Bash', COMMIT)];
    expect(signalsOf(sessionOf(items))).toEqual(['commit@3']);
    expect(signalsOf(sessionOf(items.slice(0, 1), items.slice(1)))).toEqual(['commit@3']);
    const failed = [result('a', 'no', { is_error: true }), call('a', 'Bash', COMMIT)];
    expect(signalsOf(sessionOf(failed))).toEqual([]);
    // A result of an earlier turn is none of a call that uses its id again.
    expect(
      signalsOf(sessionOf(items.slice(0, 1), [user('Go on.'), call('a', 'Bash', COMMIT)])),
    ).toEqual([]);
  });

  it('do not count when they failed', () => {
    expect(
      signalsOf(sessionOf([call('a', 'Bash', COMMIT), result('a', 'no', { is_error: true })])),
    ).toEqual([]);
    expect(signalsOf(sessionOf([call('a', 'Bash', COMMIT), result('a', 'Exit code: 1')]))).toEqual(
      [],
    );
  });

  it('are told apart by the ids of their calls', () => {
    const calls = assistant([
      { type: 'tool_use', id: 'a', name: 'Bash', input: COMMIT },
      { type: 'tool_use', id: 'b', name: 'Bash', input: PR },
      { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls' } },
    ]);
    const session = sessionOf([calls], [result('c', 'ok')], [result('b', 'ok')]);
    expect(signalsOf(session)).toEqual(['pr_checkpoint@4']);
  });

  it('count once: neither a result that comes again nor another call of the same id', () => {
    const failed = result('call_0', 'no', { is_error: true });
    const session = sessionOf([call('call_0', 'Bash', COMMIT)], [failed]);
    session.append(call('call_0', 'Bash', { command: 'ls' }), result('call_0', 'ok'));
    session.append(call('call_1', 'Bash', PR), call('call_1', 'Bash', { command: 'ls' }));
    session.append(result('call_1', 'ok'), result('call_1', 'ok'));
    expect(signalsOf(session)).toEqual([]);
    session.append(call('call_0', 'Bash', COMMIT));
    expect(session.head.state.open_commands).toEqual([{ id: 'call_0', boundary: 'commit' }]);
    session.append(result('call_0', 'ok'));
    expect(session.head.state).toMatchObject({ signals: ['commit'], open_commands: [] });
    session.push({
      type: 'signal.observed',
      data: { signal: 'turn_started', source: 'derived', seq: 2 },
    });
    session.append(result('call_0', 'ok'));
    expect(session.head.state.signals).toEqual([]);
  });

  it('end while nobody listens, too', () => {
    const session = new PureSession({ packet_author: 'agent' });
    session.fillTo(70);
    session.append(call('a', 'Bash', COMMIT));
    session.signal('pr_checkpoint');
    session.signal('turn_complete');
    expect(session.head.state.packet_request).not.toBeNull();
    session.append(result('a', 'ok'));
    expect(session.head.state).toMatchObject({ signals: [], open_commands: [] });
  });

  it('are two boundaries when one line reaches both', () => {
    const both = { command: 'git commit -m x && gh pr create' };
    const session = sessionOf([call('a', 'Bash', both), result('a', 'ok')]);
    expect(signalsOf(session)).toEqual(['commit@3', 'pr_checkpoint@3']);
  });

  it('stay open over a user message that comes in the same append before them', () => {
    const session = sessionOf(
      [assistant('All done.')],
      [user('commit'), call('a', 'Bash', COMMIT)],
    );
    session.append(result('a', 'ok'));
    expect(session.head.state.signals).toEqual(['commit']);
  });

  it('are forgotten when the client says that a turn begins', () => {
    const session = sessionOf([call('a', 'Bash', COMMIT)]);
    session.signal('turn_started');
    session.append(result('a', 'ok'));
    expect(signalsOf(session)).toEqual([]);
  });

  it('are remembered up to 64 at once', () => {
    const calls = Array.from({ length: 65 }, (_, n) => call(`call-${n}`, 'Bash', COMMIT));
    const session = sessionOf(calls, [result('call-0', 'ok')]);
    expect(signalsOf(session)).toEqual([]);
    session.append(result('call-1', 'ok'));
    expect(session.head.state.signals).toEqual(['commit']);
  });
});

describe('commands of other formats', () => {
  it('count as a local shell call of openai-responses', () => {
    const session = new PureSession({}, 'rawr', 'openai-responses');
    const action = { type: 'exec', command: ['bash', '-lc', 'git commit -m x'], env: {} };
    session.append({ type: 'local_shell_call', call_id: 'a', status: 'completed', action });
    session.append({ type: 'function_call_output', call_id: 'a', output: 'ok' });
    expect(signalsOf(session)).toEqual(['commit@3']);
  });

  it('count by the exit code that an output of openai-responses names', () => {
    const session = new PureSession({}, 'rawr', 'openai-responses');
    for (const [id, code] of ['1', '0'].entries()) {
      const call_id = `call-${id}`;
      const command = JSON.stringify({ cmd: 'git commit -m x' });
      session.append(
        { type: 'function_call', call_id, name: 'exec_command', arguments: command },
        {
          type: 'function_call_output',
          call_id,
          output: `Wall time: 0 s\nProcess exited with code ${code}\nOutput:\n`,
        },
      );
    }
    expect(signalsOf(session)).toEqual(['commit@5']);
  });

  it('count as a tool call of openai-chat', () => {
    const session = new PureSession({}, 'rawr', 'openai-chat');
    const command = JSON.stringify({ command: 'gh pr merge 7' });
    session.append(
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'bash', arguments: command } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    );
    expect(signalsOf(session)).toEqual(['pr_checkpoint@3']);
  });
});

describe('plans', () => {
  it('are an update with each call', () => {
    expect(signalsOf(sessionOf([plan('a', 'pending', 'pending')]))).toEqual(['plan_update@2']);
  });

  it('are a checkpoint when more steps are completed than before', () => {
    const session = sessionOf(
      [plan('a', 'completed', 'pending')],
      [plan('b', 'completed', 'pending')],
      [plan('c', 'completed', 'completed')],
    );
    expect(signalsOf(session)).toEqual([
      'plan_update@2',
      'plan_checkpoint@2 (1)',
      // Nothing at 5: both are known. The second step is news again.
      'plan_checkpoint@6 (2)',
    ]);
    expect(session.head.state).toMatchObject({
      signals: ['plan_update', 'plan_checkpoint'],
      completed_steps: 2,
    });
  });

  it('count anew when a plan has fewer completed steps', () => {
    const session = sessionOf(
      [plan('a', 'completed', 'completed')],
      [plan('b', 'pending')],
      [plan('c', 'completed')],
    );
    expect(signalsOf(session, 4)).toEqual(['plan_update@5 (0)', 'plan_checkpoint@7 (1)']);
  });

  it('come from todo attachments too', () => {
    const session = sessionOf([attachment('todo', '- [x] one\n- [ ] two')]);
    expect(signalsOf(session)).toEqual(['plan_update@2', 'plan_checkpoint@2 (1)']);
    expect(signalsOf(sessionOf([attachment('file', '- [x] one', 'a.md')]))).toEqual([]);
  });

  it('of a turn that is over only say how far the plan is', () => {
    const session = sessionOf([plan('a', 'completed'), user('Go on.')]);
    expect(signalsOf(session)).toEqual(['plan_checkpoint@2 (1)', 'turn_started@3']);
    session.append(plan('b', 'completed'));
    expect(session.head.state.signals).toEqual(['plan_update']);
  });
});

describe('text', () => {
  test.each<[string, Json]>([
    ['a string', 'Moving on. It is done. In summary: yes.'],
    ['blocks', [text('Moving on.'), text('It is done. In summary: yes.')]],
  ])('of the agent as %s', (_, content) => {
    expect(signalsOf(sessionOf([assistant(content)]))).toEqual([
      'topic_shift@2',
      'agent_done@2',
      'concluding_thought@2',
    ]);
  });

  it('counts only in the last assistant message of an append that has one', () => {
    const session = sessionOf([
      assistant('The first half is done.'),
      assistant('Now let us look.'),
      call('a', 'Read', {}),
    ]);
    expect(signalsOf(session)).toEqual([]);
  });

  it('is told once as long as it counts', () => {
    const session = sessionOf([assistant('done')], [assistant('done')]);
    expect(signalsOf(session)).toEqual(['agent_done@2']);
  });

  it.each<[string, Item]>([
    ['what the user says', user('We are done.')],
    ['a tool result', result('a', 'done')],
    ['a tool call', call('a', 'Bash', { command: 'echo done' })],
    ['thinking', assistant([{ type: 'thinking', thinking: 'done', signature: 's' }])],
    ['a synthetic message', assistant('done', { is_meta: true })],
    ['a summary', assistant('done', { is_compact_summary: true })],
    ['an error message', assistant('done', { is_api_error_message: true })],
  ])('does not count in %s', (_, item) => {
    expect(signalsOf(sessionOf([item]))).toEqual([]);
  });
});

describe('a user message', () => {
  it('begins a turn when there is something to clear', () => {
    const session = sessionOf([user('Hello.')], [assistant('done')], [user('Thanks.')]);
    expect(signalsOf(session)).toEqual(['agent_done@3', 'turn_started@5']);
    expect(session.head.state.signals).toEqual([]);
  });

  it('clears posted boundaries as well', () => {
    const session = new PureSession();
    session.signal('commit');
    session.append(user('Next task.'));
    expect(signalsOf(session)).toEqual(['turn_started@3']);
  });

  it('leaves only what comes after it', () => {
    const items = [assistant('done'), user('And now?'), assistant('Moving on.')];
    const session = sessionOf([assistant('In summary: yes.')], items);
    expect(signalsOf(session, 3)).toEqual(['turn_started@5', 'topic_shift@6']);
    expect(session.head.state.signals).toEqual(['topic_shift']);
  });

  it.each<[string, Item]>([
    ['a synthetic message', user('x', { is_meta: true })],
    ['a summary', user('x', { is_compact_summary: true })],
    ['a tool result', result('a', 'x')],
  ])('is not %s', (_, item) => {
    const session = sessionOf([assistant('done')], [item]);
    expect(session.head.state.signals).toEqual(['agent_done']);
  });

  it('does not say that the client posts the life cycle of its turns', () => {
    const session = sessionOf([assistant('done')], [user('x')]);
    expect(session.head.state.has_life_cycle).toBe(false);
  });
});

describe('nothing is derived', () => {
  const everything = [
    call('a', 'Bash', COMMIT),
    result('a', 'ok'),
    plan('b', 'completed'),
    assistant('done'),
  ];

  it.each(['default', 'claude-code', 'codex-v2', 'tiered', 'codex-classic'] as const)(
    'under profile %s',
    (profile) => {
      const session = new PureSession({}, profile);
      session.append(...everything);
      expect(session.count('signal.observed')).toBe(0);
      expect(session.head.state.open_commands).toEqual([]);
    },
  );

  it('while a packet is waited for', () => {
    const session = new PureSession({ packet_author: 'agent' });
    session.fillTo(70);
    session.signal('commit');
    session.signal('turn_complete');
    session.append(call('a', 'Bash', COMMIT), result('a', 'ok'), plan('b', 'completed'));
    expect(session.head.state).toMatchObject({ signals: [], open_commands: [] });
    expect(signalsOf(session)).toEqual([]);
  });
});

it('says of each signal where it comes from', () => {
  const session = sessionOf([assistant('done')]);
  const expected: Signal = { signal: 'agent_done', source: 'derived', seq: 2 };
  expect(session.log.at(-1)?.data).toEqual(expected);
});
