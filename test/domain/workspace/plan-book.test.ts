import { describe, expect, it } from 'vitest';
import { todosOf } from '../../../src/domain/items/todo-list.ts';
import type { Json } from '../../../src/domain/json.ts';
import { PlanBook } from '../../../src/domain/workspace/plan-book.ts';
import { toolCall, toolResult } from '../../support/tool-calls.ts';

type Step = [name: string, input: Json, answer: string];
const fold = (steps: readonly Step[]) => {
  const book = new PlanBook();
  for (const [at, [name, input, answer]] of steps.entries()) {
    book.call(toolCall(name, input), toolResult(answer), at);
  }
  return book;
};
const listed = (steps: readonly Step[]) =>
  todosOf(fold(steps).todos()?.content ?? []).map(({ text, status }) => `${text}: ${status}`);

const A = { id: 'task_a', content: 'A', status: 'in_progress', activeForm: 'Doing A' };
const B = { id: 'task_b', content: 'B', status: 'pending', activeForm: 'Doing B' };
const ofMastra = (tasks: Json[], isError = false) =>
  JSON.stringify({ content: 'Tasks updated: [0/2 completed]', tasks, isError });

describe('the newest list of todos', () => {
  it.each<[string, Step[], string[]]>([
    [
      'TodoWrite of Claude Code',
      [
        [
          'TodoWrite',
          {
            todos: [
              { content: 'A', status: 'in_progress', activeForm: 'Doing A' },
              { content: 'B', status: 'pending' },
            ],
          },
          'Todos have been modified successfully.',
        ],
      ],
      ['A: in progress', 'B: open'],
    ],
    [
      'the task tools of Mastra, and a change that they have refused',
      [
        ['task_write', { tasks: [] }, ofMastra([A, { ...B, id: 'task_b' }])],
        ['task_complete', { id: 'task_a' }, ofMastra([{ ...A, status: 'completed' }, B])],
        ['task_write', { tasks: [A] }, ofMastra([], true)],
        ['task_update', { id: 'task_b', status: 'in_progress' }, ofMastra([], true)],
      ],
      ['A: done', 'B: open'],
    ],
    [
      'create_task and update_task of Nanocoder',
      [
        [
          'create_task',
          { tasks: [{ title: 'A' }, { title: 'B' }, { title: 'C' }] },
          'Created 3 task(s):\n  ○ [8a85a6b0] A\n  ○ [666637f4] B\n  ○ [65d7b55c] C\n\nAll Tasks (3 pending, 0 in progress, 0 completed):\n  ○ [8a85a6b0] A\n  ○ [666637f4] B\n  ○ [65d7b55c] C',
        ],
        [
          'update_task',
          { updates: [{ id: '8a85a6b0', status: 'completed' }] },
          'Updated 2 task(s):\n  ✓ [8a85a6b0] A\n  ◐ [666637f4] B\n\nAll Tasks (1 pending, 1 in progress, 1 completed):\n  ✓ [8a85a6b0] A\n  ◐ [666637f4] B\n  ○ [65d7b55c] C',
        ],
        [
          'list_tasks',
          { status: 'pending' },
          `Tasks (1 pending, 1 in progress, 1 completed)\n${'─'.repeat(50)}\n○ [65d7b55c] C`,
        ],
        [
          'delete_task',
          { ids: ['65d7b55c'] },
          'Deleted 1 task(s):\n  ✗ [65d7b55c] C\n\nRemaining Tasks (0 pending, 1 in progress, 1 completed):\n  ✓ [8a85a6b0] A\n  ◐ [666637f4] B',
        ],
      ],
      ['A: done', 'B: in progress'],
    ],
    [
      'list_tasks of Nanocoder, and a list that it has cleared',
      [
        [
          'list_tasks',
          {},
          `Tasks (1 pending, 0 in progress, 0 completed)\n${'─'.repeat(50)}\n○ [8a85a6b0] A`,
        ],
        ['delete_task', { clear_all: true }, 'Cleared all 1 task(s)\n\nNo tasks remaining.'],
      ],
      [],
    ],
    [
      'tools of that name that keep no list of the agent',
      [
        ['create_task', { title: 'Call Ana' }, 'Created task 7: Call Ana'],
        ['list_tasks', {}, 'Tasks (1 pending)\n○ [7] Call Ana'],
      ],
      [],
    ],
    [
      'sql of the Copilot CLI',
      [
        [
          'sql',
          {
            description: 'Insert todos',
            query:
              "INSERT INTO todos (id, title, description, status) VALUES\n  ('why', 'Find out why it''s red', 'Look; (at) it', 'in_progress'),\n  ('mend', 'Mend it', 'In a.py', 'pending');\nINSERT INTO todo_deps (todo_id, depends_on) VALUES ('mend', 'why');",
          },
          'Executed 2 statement(s)',
        ],
        [
          'sql',
          {
            query:
              "-- done; next\nUPDATE todos SET status = 'done', updated_at = datetime('now') WHERE id = 'why';\nINSERT OR REPLACE INTO todos (id, title) VALUES ('docs', 'Tell of it'), ('old', 'Old');\nUPDATE todos SET status = 'in_progress' WHERE id IN ('mend', 'docs');\nUPDATE todos SET status = 'done' WHERE id = 'nobody';\nUPDATE todos SET status = 'done' WHERE status = 'pending';\nDELETE FROM todos WHERE id = 'old'",
          },
          'Executed 6 statement(s)',
        ],
        ['sql', { query: "SELECT * FROM todos WHERE status = 'done'" }, '1 row(s) returned'],
        ['sql', { query: "UPDATE todos SET status = 'done' WHERE id = 'mend'" }, 'Error: locked'],
      ],
      ["Find out why it's red: done", 'Mend it: in progress', 'Tell of it: in progress'],
    ],
    [
      'sql of the Copilot CLI that names todos by their states, or all of them',
      [
        [
          'sql',
          {
            query:
              "INSERT INTO todos (id, title, status) VALUES ('w1-a', 'A', 'done'), ('w1-b', 'B', 'in_progress'), ('w2-c', 'C', 'pending'), ('w2-d', 'D', 'pending'), ('w3-e', 'E', 'blocked')",
          },
          '5 row(s) inserted. Last inserted row ID: 5.',
        ],
        [
          'sql',
          {
            query:
              "UPDATE todos SET status = CASE id WHEN 'w2-c' THEN 'in_progress' WHEN 'w3-e' THEN 'pending' ELSE status END WHERE id IN ('w2-c', 'w2-d', 'w3-e');",
          },
          '3 row(s) updated.',
        ],
        ['sql', { query: "UPDATE todos SET status='done' WHERE status = 'in_progress'" }, 'ok'],
        [
          'sql',
          {
            query: "UPDATE todos SET status = 'blocked' WHERE id LIKE 'w2-%' AND status != 'done';",
          },
          'ok',
        ],
        ['sql', { query: "UPDATE todos SET status = 'blocked' WHERE LENGTH(id) > 1" }, 'ok'],
        [
          'sql',
          {
            query:
              "INSERT INTO todos (id, title, status) VALUES ('w3-e', 'E', 'in_progress') ON CONFLICT(id) DO UPDATE SET status = excluded.status; INSERT OR IGNORE INTO todos (id, title) VALUES ('w1-a', 'Again')",
          },
          'ok',
        ],
      ],
      ['A: done', 'B: done', 'C: done', 'D: open', 'E: in progress'],
    ],
    [
      'sql of the Copilot CLI, all done',
      [
        ['sql', { query: "INSERT INTO todos (id, title) VALUES ('a', 'A'), ('b', 'B')" }, 'ok'],
        ['sql', { query: "UPDATE todos SET status = 'done' WHERE status != 'done';" }, 'ok'],
      ],
      ['A: done', 'B: done'],
    ],
    [
      'sql of the Copilot CLI, begun anew',
      [
        ['sql', { query: "INSERT INTO todos (id, title) VALUES ('a', 'A'), ('b', 'B')" }, 'ok'],
        [
          'sql',
          {
            query:
              "DELETE FROM todo_deps;\nDELETE FROM todos;\nINSERT INTO todos VALUES ('c', 'C', '', 'pending');",
          },
          'Executed 3 statement(s)',
        ],
      ],
      ['C: open'],
    ],
    [
      'sql of the Copilot CLI, as its agents have left them',
      [
        [
          'sql',
          { query: "INSERT INTO todos (id, title) VALUES ('a', 'A | a'), ('b', 'B'), ('c', 'C')" },
          'ok',
        ],
        [
          'sql',
          {
            query:
              "UPDATE todos SET status='in_progress' WHERE id='c'; SELECT id,status FROM todos ORDER BY created_at;",
          },
          'Executed 2 statement(s):\n\n1. UPDATE\n   1 row(s) updated.\n\n2. SELECT\n   3 row(s) returned:\n   \n   | id | status |\n   | --- | --- |\n   | a | done |\n   | b | blocked |\n   | c | in_progress |',
        ],
        [
          'sql',
          { query: "SELECT id, title, status FROM todos WHERE status = 'done'" },
          '1 row(s) returned:\n\n| id | title | status |\n| --- | --- | --- |\n| d | D | done |',
        ],
        [
          'sql',
          { query: 'SELECT id, status FROM tests' },
          '| id | status |\n| --- | --- |\n| b | done |',
        ],
      ],
      ['A | a: done', 'B: open', 'C: in progress', 'D: done'],
    ],
    [
      'Checklist of Continue',
      [['Checklist', { checklist: '- [x] A\n- [ ] B' }, 'Task list status:\n- [x] A\n- [ ] B']],
      ['A: done', 'B: open'],
    ],
    [
      'update_plan of Codex',
      [
        [
          'update_plan',
          { explanation: 'why', plan: [{ step: 'A', status: 'completed' }] },
          'Plan updated',
        ],
      ],
      ['A: done'],
    ],
    [
      'write_todos of Gemini CLI',
      [
        [
          'write_todos',
          { todos: [{ description: 'A', status: 'cancelled' }] },
          'Successfully updated the todo list.',
        ],
      ],
      ['A: dropped'],
    ],
    [
      'manage_todo_list of Copilot',
      [
        [
          'manage_todo_list',
          {
            operation: 'write',
            todoList: [{ id: 1, title: 'A', description: 'more', status: 'not-started' }],
          },
          'Successfully wrote todo list',
        ],
      ],
      ['A: open'],
    ],
    [
      'and its reading changes nothing',
      [
        [
          'manage_todo_list',
          { operation: 'write', todoList: [{ id: 1, title: 'A', status: 'completed' }] },
          'ok',
        ],
        ['manage_todo_list', { operation: 'read', todoList: [] }, '- [x] A'],
      ],
      ['A: done'],
    ],
    [
      'update_todo of Copilot CLI',
      [['update_todo', { todos: '- [x] A\n- [ ] B' }, 'TODO list updated']],
      ['A: done', 'B: open'],
    ],
    [
      'TodoWrite of Droid, with words for the states',
      [
        [
          'TodoWrite',
          {
            todos:
              '1. [completed] A\n2. [in_progress] B\n3. [PENDING] C\n4. [cancelled] D\n5. [✓] E\n6. [feature] F',
          },
          'TODO List Updated',
        ],
      ],
      ['A: done', 'B: in progress', 'C: open', 'D: dropped', 'E: done', '[feature] F: open'],
    ],
    [
      'a list as JSON in a text',
      [['todowrite', { todos: '[{"content":"A","status":"pending"}]' }, 'ok']],
      ['A: open'],
    ],
    [
      'a plan with boxes',
      [['update_plan', { plan: '1. [x] A\n2. [ ] B' }, 'ok']],
      ['A: done', 'B: open'],
    ],
    [
      'tasks one by one',
      [
        ['TaskCreate', { subject: 'A', description: 'a' }, 'Task #1 created successfully: A'],
        ['TaskCreate', { subject: 'B', description: 'b' }, 'Task #2 created successfully: B'],
        ['TaskUpdate', { taskId: '2', status: 'in_progress' }, 'Updated task #2 status'],
        ['TaskUpdate', { taskId: '1', status: 'deleted' }, 'Updated task #1 deleted'],
      ],
      ['B: in progress'],
    ],
    [
      'tasks that other agents of a team have taken on, finished and added',
      [
        ['TaskCreate', { subject: 'B', description: 'b' }, 'Task #2 created successfully: B'],
        ['TaskCreate', { subject: 'A (core)' }, 'Task #1 created successfully: A (core)'],
        [
          'TaskList',
          {},
          '#3 [pending] C [blocked by #1, #2]\n#1 [in_progress] A (core) (dev-a)\n#2 [completed] B',
        ],
      ],
      ['B: done', 'A (core): in progress', 'C: open'],
    ],
    [
      'tasks of a team that another agent has made',
      [
        ['TaskList', {}, '#2 [pending] B (dev-b)\n#1 [completed] A'],
        ['TaskGet', { taskId: '2' }, 'Task #2: B\nStatus: in_progress\nDescription: b'],
      ],
      ['A: done', 'B (dev-b): in progress'],
    ],
    [
      'tasks of a team that is gone, and those of the next one with the same numbers',
      [
        ['TaskCreate', { subject: 'A' }, 'Task #1 created successfully: A'],
        ['TaskList', {}, 'No tasks found'],
        ['TaskCreate', { subject: 'B' }, 'Task #1 created successfully: B'],
        ['TaskList', {}, '#1 [completed] B'],
      ],
      ['B: done'],
    ],
    [
      'tasks of another list with the same numbers, and longer words',
      [
        ['TaskCreate', { subject: 'Fix' }, 'Task #1 created successfully: Fix'],
        ['TaskList', {}, '#1 [pending] Fix the parser (dev-a)'],
      ],
      ['Fix the parser (dev-a): open'],
    ],
    [
      'todos, whatever another list of tasks says',
      [
        ['TodoWrite', { todos: [{ content: 'A', status: 'pending' }] }, 'ok'],
        ['TaskList', {}, 'No tasks found'],
        ['TaskList', {}, '2 background tasks:\n#1 [pending] npm test'],
      ],
      ['A: open'],
    ],
    [
      'a refused list',
      [
        ['TodoWrite', { todos: [{ content: 'A' }] }, 'ok'],
        [
          'TodoWrite',
          { todos: [] },
          '<tool_use_error>InputValidationError: todos</tool_use_error>',
        ],
      ],
      ['A: open'],
    ],
    [
      'a list that is refused in JSON',
      [
        ['TodoWrite', { todos: [{ content: 'A' }] }, 'ok'],
        [
          'TodoWrite',
          { todos: [{ content: 'A', status: 'completed' }] },
          '{"success":false,"error":"invalid todos"}',
        ],
      ],
      ['A: open'],
    ],
    [
      'ids that are none',
      [
        ['TodoWrite', { todos: [{ id: { toString: 1 }, content: 'A' }] }, 'ok'],
        ['TaskUpdate', { taskId: { toString: 1 }, status: 'completed' }, 'ok'],
        ['TaskUpdate', { taskId: '1', status: 'completed' }, 'ok'],
      ],
      ['A: open'],
    ],
    ['other tools', [['Read', { file_path: 'todo.md' }, 'x']], []],
  ])('%s', (_, steps, todos) => expect(listed(steps)).toEqual(todos));

  it('is kept as the tool wrote it', () => {
    const todos = [{ content: 'A', status: 'pending', activeForm: 'Doing A' }];
    expect(fold([['TodoWrite', { todos }, 'ok']]).todos()).toEqual({
      content: todos,
      at: 0,
      isPosted: false,
      isWhole: true,
    });
  });
});

describe('the newest plan', () => {
  const PATH = '/home/u/.claude/plans/otter.md';
  it.each<[string, Step[], string | undefined]>([
    [
      'approved',
      [['ExitPlanMode', { plan: '# A' }, 'User has approved your plan. You can now start coding.']],
      '# A',
    ],
    [
      'not approved',
      [['ExitPlanMode', { plan: '# A' }, "The user doesn't want to proceed with this tool use."]],
      undefined,
    ],
    [
      'told by the answer',
      [['ExitPlanMode', {}, `Your plan has been saved to: ${PATH}\n\n## Approved Plan:\n# A`]],
      '# A',
    ],
    ['in words', [['update_plan', { plan: 'First A, then B.' }, 'ok']], 'First A, then B.'],
    ['of another tool', [['explain', { plan: 'x' }, 'ok']], undefined],
  ])('%s', (_, steps, content) => expect(fold(steps).plan([])?.content).toBe(content));
});
