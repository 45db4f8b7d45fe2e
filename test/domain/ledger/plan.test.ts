import { describe, expect, test } from 'vitest';
import type { Normalised } from '../../../src/domain/items/item.ts';
import { type Ledger, ledgerSchema } from '../../../src/domain/ledger/ledger.ts';
import { asks, ledgerOf, tells, used } from '../../support/log-items.ts';

const planOf = ({ plan }: Ledger) =>
  plan === null ? null : plan.todos?.map(({ text, status }) => `${status}: ${text}`);

const attachment = (kind: 'todo' | 'plan', text: string): Normalised => ({
  kind: 'attachment',
  attachment: kind,
  text,
  is_empty: text === '',
});

const TODOS_OK =
  'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable';

describe('todos', () => {
  test.each<[string, Normalised[], string[] | null]>([
    [
      'TodoWrite',
      used(
        'TodoWrite',
        {
          todos: [
            { content: 'Look', status: 'completed', activeForm: 'Looking' },
            { content: 'Act', status: 'in_progress', activeForm: 'Acting' },
            { content: 'Rest', status: 'pending', activeForm: 'Resting' },
          ],
        },
        TODOS_OK,
      ),
      ['done: Look', 'in progress: Act', 'open: Rest'],
    ],
    [
      'update_plan of Codex',
      used(
        'update_plan',
        {
          explanation: 'Half done.',
          plan: [
            { step: 'Look', status: 'completed' },
            { step: 'Act', status: 'pending' },
          ],
        },
        'Plan updated',
      ),
      ['done: Look', 'open: Act'],
    ],
    [
      'write_todos of Gemini CLI',
      used(
        'write_todos',
        {
          todos: [
            { description: 'Look', status: 'in_progress' },
            { description: 'Ask', status: 'cancelled' },
          ],
        },
        'Successfully updated the todo list.',
      ),
      ['in progress: Look', 'dropped: Ask'],
    ],
    [
      'a list that is written and not answered yet',
      used('TodoWrite', { todos: [{ content: 'Look', status: 'pending' }] }, null),
      ['open: Look'],
    ],
    [
      'a list that was turned down',
      used(
        'TodoWrite',
        { todos: [{ content: 'x' }] },
        '<tool_use_error>InputValidationError: status is required</tool_use_error>',
        true,
      ),
      null,
    ],
    [
      'a list in words',
      used(
        'TodoWrite',
        { todos: '1. [cancelled] Ask\n2. [done] Look\n3. [pending] Act' },
        TODOS_OK,
      ),
      ['dropped: Ask', 'done: Look', 'open: Act'],
    ],
    ['an attachment', [attachment('todo', '- [x] Look\n- [ ] Act')], ['done: Look', 'open: Act']],
  ])('%s', (_, items, todos) => expect(planOf(ledgerOf(items))).toEqual(todos));

  test('newer ones take the place of all older ones', () => {
    const items = [
      ...used('TodoWrite', { todos: [{ content: 'Old', status: 'pending' }] }, TODOS_OK),
      ...used('TodoWrite', { todos: [{ content: 'New', status: 'pending' }] }, TODOS_OK),
    ];
    expect(ledgerOf(items).plan).toEqual({
      seq: 2,
      last_seq: 4,
      todos: [{ text: 'New', status: 'open' }],
      in_words: false,
      text: '',
    });
  });
});

const CREATED = [
  ...used(
    'TaskCreate',
    { subject: 'Look', description: 'Look around.', activeForm: 'Looking' },
    'Task #1 created successfully: Look',
  ),
  ...used(
    'TaskCreate',
    { subject: 'Act', description: 'Do it.', activeForm: 'Acting' },
    'Task #2 created successfully: Act',
  ),
];
const UPDATED = [
  ...used('TaskUpdate', { taskId: '1', status: 'completed' }, 'Updated task #1 status'),
  ...used('TaskUpdate', { taskId: '2', status: 'in_progress' }, 'Updated task #2 status'),
];
const MORE = used(
  'TaskCreate',
  { subject: 'Rest', description: 'Rest.', activeForm: 'Resting' },
  'Task #3 created successfully: Rest',
);

describe('tasks created and updated one by one', () => {
  test('in one go', () => {
    expect(planOf(ledgerOf([...CREATED, ...UPDATED, ...MORE]))).toEqual([
      'done: Look',
      'in progress: Act',
      'open: Rest',
    ]);
  });

  test('and the same in two, with the ledger stored in between', () => {
    const first = ledgerOf([asks('Go.'), ...CREATED]);
    const stored = ledgerSchema.parse(JSON.parse(JSON.stringify(first)));
    expect(ledgerOf([...UPDATED, ...MORE], stored)).toEqual(
      ledgerOf([asks('Go.'), ...CREATED, ...UPDATED, ...MORE]),
    );
  });

  test('one that was deleted is dropped', () => {
    const gone = used('TaskUpdate', { taskId: '2', status: 'deleted' }, 'Updated task #2 deleted');
    expect(planOf(ledgerOf([...CREATED, ...gone]))).not.toContain('open: Act');
  });
});

describe('the plan in words', () => {
  const path = '/home/u/.claude/plans/otter.md';

  test.each<[string, Normalised[], string]>([
    [
      'one that the user has approved',
      used(
        'ExitPlanMode',
        { plan: 'First look, then act.' },
        'User has approved your plan. You can now start coding.',
      ),
      'First look, then act.',
    ],
    ['an attachment', [attachment('plan', 'First look, then act.')], 'First look, then act.'],
    [
      'a plan file',
      used(
        'Write',
        { file_path: path, content: 'First look.' },
        `File created successfully at: ${path}`,
      ),
      'First look.',
    ],
  ])('%s', (_, items, text) => expect(ledgerOf(items).plan?.text).toBe(text));

  test('one that the user has not approved is none', () => {
    const items = used(
      'ExitPlanMode',
      { plan: 'First look, then act.' },
      "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait for the user to tell you how to proceed.",
      true,
    );
    expect(ledgerOf(items).plan).toBeNull();
  });

  test('stays when only the todos are written anew, and the todos when only the plan is', () => {
    const todos = used('TodoWrite', { todos: [{ content: 'Act', status: 'pending' }] }, TODOS_OK);
    const words = [attachment('plan', 'First look, then act.')];
    for (const items of [
      [...todos, ...words],
      [...words, ...todos],
    ]) {
      expect(ledgerOf(items).plan).toMatchObject({
        todos: [{ text: 'Act', status: 'open' }],
        text: 'First look, then act.',
      });
    }
  });

  test('of a file stands with its later edits', () => {
    const items = [
      ...used(
        'Write',
        { file_path: path, content: 'First look.' },
        `File created successfully at: ${path}`,
      ),
      ...used(
        'Edit',
        { file_path: path, old_string: 'look', new_string: 'act' },
        `The file ${path} has been updated successfully.`,
      ),
    ];
    expect(ledgerOf(items).plan?.text).toBe('First act.');
  });
});

test('a plan stands with the later edits of the file that its program has saved it to', () => {
  const path = '/w/docs/plans/otter.md';
  const saved = `User has approved your plan. You can now start coding.\n\nYour plan has been saved to: ${path}\n\n## Approved Plan:\n1. Look`;
  const edited = (file: string) =>
    used(
      'Edit',
      { file_path: file, old_string: '1. Look', new_string: '1. DONE Look' },
      `The file ${file} has been updated successfully.`,
    );
  const approved = used('ExitPlanMode', { plan: '1. Look' }, saved);
  const todos = used('TodoWrite', { todos: [{ content: 'Act', status: 'pending' }] }, TODOS_OK);
  expect(ledgerOf([...approved, ...todos, ...edited(path)]).plan).toMatchObject({
    text: '1. DONE Look',
    path,
  });
  expect(ledgerOf([...approved, ...edited('/w/docs/plans/other.md')]).plan?.text).toBe('1. Look');
  const other = used('update_plan', { plan: '1. Look' }, 'ok');
  expect(ledgerOf([...approved, ...other, ...edited(path)]).plan?.text).toBe('1. Look');
});

describe('a plan that Codex proposes in its answer', () => {
  const PLAN = '# Move the store\n\n- Keep the form `audience` required.\n- Never drop a row.';
  const proposed = [
    asks('Plan it, and do not touch the tests.'),
    tells(`<proposed_plan>\n${PLAN}\n</proposed_plan>\n\n<citation>\nnotes:1\n</citation>`),
  ];
  const factsAfter = (...words: string[]) => {
    const { plan, constraints } = ledgerOf([...proposed, ...words.map(asks)]);
    return { plan: plan?.text ?? null, demands: constraints.map(({ text }) => text) };
  };
  const OWN = 'Plan it, and do not touch the tests.';

  test.each(['Implement the plan.', 'implement that plan', 'Ok, implement this plan'])(
    'is the plan once the user wants it carried out: %s',
    (words) => {
      expect(factsAfter(words)).toEqual({ plan: PLAN, demands: [OWN] });
    },
  );

  test('is no demand of the user where their client sends its text again', () => {
    const sent = `PLEASE IMPLEMENT THIS PLAN:\n${PLAN}`;
    expect(factsAfter(sent)).toEqual({ plan: PLAN, demands: [OWN] });
  });

  test('stays as it is where the user says more of it', () => {
    const behind = `PLEASE IMPLEMENT THIS PLAN:\n${PLAN}\n\nNever push it to main.`;
    expect(factsAfter(behind)).toEqual({ plan: PLAN, demands: [OWN, 'Never push it to main.'] });
    const instead = 'Implement the plan:\n- Never push it to main.\n- leave out the form';
    expect(factsAfter(instead)).toEqual({ plan: PLAN, demands: [OWN, 'Never push it to main.'] });
  });

  test('is none yet while the user talks of it, or wants another one', () => {
    expect(factsAfter('Why the form?')).toEqual({ plan: null, demands: [OWN] });
    const other = 'PLEASE IMPLEMENT THIS PLAN:\n# Keep the store\n- Never touch it.';
    expect(factsAfter(other)).toEqual({
      plan: '# Keep the store\n- Never touch it.',
      demands: [OWN, 'Never touch it.'],
    });
    const more = 'Implement the plan.\nNever use tabs for it.';
    expect(factsAfter(more)).toEqual({ plan: PLAN, demands: [OWN, 'Never use tabs for it.'] });
  });

  test('is what a word or two answer, by its title', () => {
    expect(ledgerOf([...proposed, asks('Implement that plan')]).requests.at(-1)).toMatchObject({
      answers: '# Move the store',
    });
  });
});
