import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { Boundary } from '../../../src/domain/policy/boundaries.ts';
import { assistant, call, result, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';
import { midTurn, pureAt } from './lab.ts';

/** The boundaries that count after these items. */
function heard(...items: Item[]): Boundary[] {
  const session = new PureSession();
  session.append(user('Go.'), ...items);
  return session.head.state.signals;
}

describe('turns and sampling requests', () => {
  it('RW-01: a turn is one user message with all that follows; the next begins anew', () => {
    const session = new PureSession();
    session.append(user('Go.'), assistant('It is done.'));
    session.append(assistant('Moving on.'));
    expect(session.head.state.signals).toEqual(['agent_done', 'topic_shift']);
    session.append(user('And now?'));
    expect(session.head.state.signals).toEqual([]);
  });

  it('RW-01, RW-17: so does the signal, and boundaries of the turn before do not count', () => {
    const session = pureAt(60, ['commit']);
    session.signal('turn_started');
    expect(session.head.state.signals).toEqual([]);
    expect(midTurn(session)).toBeNull();
  });

  it('RW-02: one turn may hold several model calls, and its boundaries outlast them', () => {
    const session = pureAt(80, ['commit']);
    for (let request = 0; request < 3; request++) expect(midTurn(session)).toBeNull();
    expect(session.count('signal.observed')).toBe(5);
    expect(session.head.state.signals).toEqual(['commit']);
    session.append(assistant('abc '.repeat(6_000)));
    expect(midTurn(session)).toMatchObject({ tier: 'ready', boundaries: ['commit'] });
  });
});

describe('what the agent says', () => {
  it.each<[Boundary, string]>([
    ['agent_done', 'The parser is done.'],
    ['agent_done', 'Completed the parser'],
    ['agent_done', 'I have FINISHED it.'],
    ['agent_done', 'It was shipped.'],
    ['agent_done', 'All of it is pushed.'],
    ['topic_shift', 'Moving on to the docs.'],
    ['topic_shift', 'I am switching to the lexer.'],
    ['topic_shift', 'Next, the docs.'],
    ['topic_shift', 'Next: the docs.'],
    ['topic_shift', 'Next up are the docs.'],
    ['topic_shift', "Now let's look at the docs."],
    ['topic_shift', 'Now, let’s look at the docs.'],
    ['topic_shift', "We'll now look at the docs."],
    ['concluding_thought', 'In summary, it works.'],
    ['concluding_thought', 'To summarize: it works.'],
    ['concluding_thought', 'To wrap up, it works.'],
    ['concluding_thought', 'I am wrapping up.'],
    ['concluding_thought', 'The conclusion is that it works.'],
    ['concluding_thought', 'Concluding, it works.'],
    ['concluding_thought', 'My final thoughts.'],
    ['concluding_thought', 'The next steps are clear.'],
  ])('RW-13, RW-122: %s is heard in "%s"', (boundary, text) => {
    expect(heard(assistant(text))).toEqual([boundary]);
  });

  it.each([
    'It is not done.',
    'Not completed, and nothing pushed.',
    'It is done, but the docs are not finished.',
    'It is unfinished, and I abandoned it.',
    'The next step is clear.',
    'Here you are.',
  ])('RW-13: nothing is heard in "%s"', (text) => {
    expect(heard(assistant(text))).toEqual([]);
  });

  it('RW-13: the phrases can be replaced', () => {
    const session = new PureSession({ signal_agent_done: ['over and out'] });
    session.append(user('Go.'), assistant('It is done.'));
    expect(session.head.state.signals).toEqual([]);
    session.append(assistant('Over and out.'));
    expect(session.head.state.signals).toEqual(['agent_done']);
  });

  it('RW-12: a turn of tools alone has no text to listen to', () => {
    const output = 'Everything is completed. Next steps: moving on.';
    expect(heard(call('a', 'Read', { file_path: 'done.md' }), result('a', output))).toEqual([]);
    expect(heard(user('It is done. Next steps?'))).toEqual([]);
  });

  it('RW-12: nobody listens while the flag is off', () => {
    const session = new PureSession({ auto_compact_trigger: 'threshold' });
    session.append(user('Go.'), assistant('It is done.'));
    expect(session.head.state.signals).toEqual([]);
    expect(session.count('signal.observed')).toBe(0);
  });

  it('RW-11: the text listened to is the last of those that came together', () => {
    expect(heard(assistant('Moving on.'), assistant('It is done.'))).toEqual(['agent_done']);
  });
});

describe('what the agent does', () => {
  const ran = (command: string, fields: JsonObject = {}) => [
    call('a', 'Bash', { command }),
    result('a', 'ok', fields),
  ];
  const plan = (...statuses: string[]) =>
    call('p', 'update_plan', {
      plan: statuses.map((status, index) => ({ step: `step ${index}`, status })),
    });

  it.each<[string, Boundary, Item[]]>([
    ['a commit', 'commit', ran('git add -A && git commit -m "parser"')],
    ['a pull request', 'pr_checkpoint', ran('gh pr create --fill')],
    ['a stack', 'pr_checkpoint', ran('gt submit')],
    ['a plan', 'plan_update', [plan('pending', 'pending')]],
  ])('RW-17: %s is %s', (_what, boundary, items) => {
    expect(heard(...items)).toEqual([boundary]);
  });

  it('RW-17: a plan with one more finished step is a checkpoint too', () => {
    const items = [plan('pending'), plan('completed')];
    expect(heard(...items)).toEqual(['plan_update', 'plan_checkpoint']);
  });

  it('RW-17: a command that fails, or has no result yet, is none', () => {
    expect(heard(...ran('git commit -m x', { is_error: true }))).toEqual([]);
    expect(heard(...ran('git commit -m x').slice(0, 1))).toEqual([]);
  });

  it('RW-17: the words can be replaced', () => {
    const session = new PureSession({ signal_commit_commands: ['hg commit'] });
    session.append(user('Go.'), ...ran('hg commit'));
    expect(session.head.state.signals).toEqual(['commit']);
  });
});
