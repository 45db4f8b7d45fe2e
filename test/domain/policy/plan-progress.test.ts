import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/domain/json.ts';
import { finishedSteps } from '../../../src/domain/policy/plan-progress.ts';

const step = (status: string) => ({ content: 'x', status });

describe('how many steps of a plan are finished', () => {
  it.each<[string, Json, number]>([
    ['TodoWrite', { todos: ['completed', 'in_progress', 'pending'].map(step) }, 1],
    [
      'update_plan',
      {
        plan: [
          { step: 'a', status: 'completed' },
          { step: 'b', status: 'pending' },
        ],
      },
      1,
    ],
    [
      'write_todos of Gemini',
      {
        todos: ['completed', 'cancelled', 'blocked', 'in_progress'].map((status) => ({
          description: 'x',
          status,
        })),
      },
      1,
    ],
    [
      'manage_todo_list of Copilot',
      {
        todoList: ['completed', 'not-started', 'in-progress'].map((status, id) => ({
          id,
          title: 'x',
          status,
        })),
      },
      1,
    ],
    ['update_todo of Copilot', { todos: '- [x] one\n- [ ] two\n* [X] three' }, 2],
    [
      'what is incomplete',
      { todos: ['incomplete', 'not done', 'unfinished', 'not completed'].map(step) },
      0,
    ],
    ['what was given up', { todos: ['cancelled', 'canceled', 'deleted', 'skipped'].map(step) }, 0],
    ['in capitals', { todos: ['COMPLETED', ' Done '].map(step) }, 2],
    [
      'flags',
      {
        tasks: [
          { text: 'a', done: true },
          { text: 'b', completed: false },
        ],
      },
      1,
    ],
    [
      'a status beside a flag',
      { todos: [{ content: 'x', status: 'cancelled', completed: true }] },
      0,
    ],
    ['JSON in a string', JSON.stringify([step('completed'), step('pending')]), 1],
    ['no list', { path: 'x' }, 0],
    ['nothing', null, 0],
  ])('%s', (_, plan, finished) => {
    expect(finishedSteps(plan)).toBe(finished);
  });
});
