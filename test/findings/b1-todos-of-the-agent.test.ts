import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let sessions = 0;
const used = (name: string, input: JsonObject, answer = 'ok'): Item[] => {
  const id = `call_${sessions++}`;
  return [call(id, name, input), result(id, answer)];
};

/** What a context after a full compaction holds besides the conversation that it kept. */
async function contextAfter(items: Item[]): Promise<string> {
  const id = `todos-${sessions++}`;
  const config = { auto_compact_enabled: false, protected_tokens: null };
  const body = { id, format: 'anthropic', profile: 'default', context_window: 200_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const talk = { role: 'assistant', content: ofTokens(2_000) };
  const all = [user('Build it.'), ...items, talk, user('Go on.'), talk, user('And on.')];
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: all })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
  const { body: context } = await send(api, 'GET', `/sessions/${id}/context`);
  return JSON.stringify(context.items);
}

const PARSER = { content: 'Write the parser', status: 'in_progress', activeForm: 'Writing it' };
const OWN = [
  ...used('TodoWrite', { todos: [PARSER] }, 'Todos have been modified successfully.'),
  ...used('update_plan', { plan: 'First the lexer.' }, 'Plan updated'),
];

describe('B1: todos and plan are those of the agent', () => {
  it.each<[string, JsonObject]>([
    ['mcp__billing__update_subscription_plan', { customer_id: 'c1', plan: 'enterprise' }],
    ['mcp__billing__update_plan', { customer_id: 'c1', plan: 'enterprise' }],
    ['update_subscription_plan', { plan: 'enterprise' }],
    ['mcp__astronomy__list_planets', { items: ['enterprise', 'Venus'] }],
    ['explain_query_plan', { steps: [{ title: 'enterprise', cost: 3 }] }],
    ['mcp__todoist__add_todo', { items: [{ content: 'enterprise', priority: 4 }] }],
    ['mcp__jira__create_task', { tasks: [{ title: 'enterprise', status: 'To Do' }] }],
  ])('%s of another product does not replace them', async (name, input) => {
    const context = await contextAfter([...OWN, ...used(name, input)]);
    expect(context).toContain('Write the parser');
    expect(context).toContain('First the lexer.');
    expect(context).not.toMatch(/(?:Plan|Todo list) \(current state\)[^"]{0,40}enterprise/);
    expect(context).not.toMatch(/(?:Open|Next todo|In progress|Plan): [^\\]{0,20}enterprise/);
  });

  it.each<[string, string, JsonObject]>([
    ['Codex', 'update_plan', { plan: [{ step: 'Ship it', status: 'pending' }] }],
    ['Gemini CLI', 'write_todos', { todos: [{ description: 'Ship it', status: 'pending' }] }],
    [
      'VS Code',
      'manage_todo_list',
      { operation: 'write', todoList: [{ id: 1, title: 'Ship it', status: 'not-started' }] },
    ],
    ['Roo Code', 'update_todo_list', { todos: '[x] Write the parser\n[-] Ship it' }],
    ['goose', 'todo__todo_write', { content: '- [x] Write the parser\n- [ ] Ship it' }],
    [
      'OpenHands',
      'task_tracker',
      { command: 'plan', task_list: [{ id: '1', title: 'Ship it', status: 'todo' }] },
    ],
    [
      'a server of the user',
      'mcp__planner__set_todos',
      { items: [{ text: 'Ship it', status: 'todo' }] },
    ],
  ])('%s: %s replaces them', async (_, name, input) => {
    const context = await contextAfter([...OWN, ...used(name, input)]);
    expect(context).toMatch(/Todo list \(current state\)[^"]*[\s\S]{0,300}Ship it/);
  });

  const todo = (id: string, content: string, status: string) => ({ id, content, status });
  it('Cursor: a list that is merged keeps what is not named again', async () => {
    const first = [
      todo('1', 'Write the parser', 'in_progress'),
      todo('2', 'Write the lexer', 'pending'),
      todo('3', 'Write the docs', 'pending'),
    ];
    const changes = [{ id: '1', status: 'completed' }, todo('4', 'Ship it', 'in_progress')];
    const context = await contextAfter([
      ...used('todo_write', { merge: false, todos: first }),
      ...used('todo_write', { merge: true, todos: changes }),
    ]);
    const start = context.indexOf('Todo list (current state)');
    const list = context.slice(start).replaceAll('\\', '');
    expect(start).toBeGreaterThan(-1);
    expect(list).toMatch(/"id": "1",n\s+"content": "Write the parser",n\s+"status": "completed"/);
    for (const text of ['Write the lexer', 'Write the docs', 'Ship it'])
      expect(list).toContain(text);
  });
});
