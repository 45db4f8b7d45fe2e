import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import {
  call as codexCall,
  user as codexUser,
  output,
  printed,
} from '../conformance/codex-v2/lab.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

type Session = { id: string; format: string; profile: string; items: Item[] };

/** The context as the model reads it, after one full compaction of all items. */
async function contextAfter({ id, format, profile, items }: Session): Promise<string> {
  const config = { auto_compact_enabled: false, protected_tokens: null };
  const body = { id, format, profile, context_window: 200_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  await compactNow(id);
  return contextOf(id);
}

async function compactNow(id: string): Promise<void> {
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
}

async function contextOf(id: string): Promise<string> {
  const { body } = await send(api, 'GET', `/sessions/${id}/context`);
  return JSON.stringify(body.items ?? body.messages ?? body, null, 1).replaceAll('\\n', '\n');
}

const SOURCE = 'package main\n\nfunc main() {\n\tprintln("one")\n}\n';
const PATCH = [
  '*** Begin Patch',
  '*** Update File: main.go',
  '@@ func main() {',
  '-\tprintln("one")',
  '+\tprintln("two")',
  '*** End Patch',
].join('\n');
const PLAN = [
  { step: 'Read the program', status: 'completed' },
  { step: 'Change what it prints', status: 'in_progress' },
];

const CODEX: Item[] = [
  codexUser(
    '<environment_context>\n  <cwd>/work</cwd>\n  <shell>zsh</shell>\n</environment_context>',
  ),
  codexUser(`Print two. ${ofTokens(3_000)}`),
  codexCall('1', 'exec_command', { cmd: "sed -n '1,200p' main.go", workdir: '/work' }),
  output('1', printed(SOURCE.trimEnd())),
  codexCall('2', 'update_plan', { plan: PLAN }),
  output('2', 'Plan updated'),
  { type: 'custom_tool_call', call_id: '3', name: 'apply_patch', input: PATCH },
  {
    type: 'custom_tool_call_output',
    call_id: '3',
    output: JSON.stringify({
      output: 'Success. Updated the following files:\nM main.go\n',
      metadata: { exit_code: 0, duration_seconds: 0 },
    }),
  },
];

const TODOS = [{ content: 'Ship it', status: 'in_progress', activeForm: 'Shipping it' }];
const PLAN_FILE = '/home/u/.claude/plans/brave-otter.md';
const CLAUDE: Item[] = [
  user(`Plan it. ${ofTokens(3_000)}`),
  call('1', 'TodoWrite', { todos: TODOS }),
  result('1', 'Todos have been modified successfully.'),
  call('2', 'Write', { file_path: PLAN_FILE, content: '# Plan\n\nFirst the parser.\n' }),
  result('2', `File created successfully at: ${PLAN_FILE}`),
  call('3', 'Edit', { file_path: PLAN_FILE, old_string: 'parser', new_string: 'lexer' }),
  result('3', `The file ${PLAN_FILE} has been updated successfully.`),
];

describe('B1: files, todos and plan come back from the log, without an attachment', () => {
  it('of a Codex session: a file that a shell printed, its patch replayed, and update_plan', async () => {
    const context = await contextAfter({
      id: 'codex',
      format: 'openai-responses',
      profile: 'codex-v2',
      items: CODEX,
    });
    expect(context).toContain('File /work/main.go');
    expect(context).toMatch(/println\(\\*"two/);
    expect(context).not.toContain('lines 1–');
    expect(context).toContain('Change what it prints');
    expect(context).toContain('in_progress');
  });

  it.each(['claude-code', 'codex-v2', 'default'])(
    'of a Claude Code session with %s: TodoWrite, and a plan file with its edits',
    async (profile) => {
      const context = await contextAfter({
        id: `claude-${profile}`,
        format: 'anthropic',
        profile,
        items: CLAUDE,
      });
      expect(context).toContain('Todo list (current state)');
      expect(context).toContain('in_progress');
      expect(context).toContain(`Plan ${PLAN_FILE} (current state):\n# Plan\n\nFirst the lexer.`);
    },
  );

  it('tasks that were made one by one, through compactions, with the statuses that they have', async () => {
    const task = (id: string, subject: string) => [
      call(`make ${id}`, 'TaskCreate', { subject, description: subject, activeForm: subject }),
      result(`make ${id}`, `Task #${id} created successfully: ${subject}`),
    ];
    const update = (id: string, status: string) => [
      call(`set ${id} ${status}`, 'TaskUpdate', { taskId: id, status }),
      result(`set ${id} ${status}`, `Updated task #${id} status`),
    ];
    const items = [user(ofTokens(3_000)), ...task('1', 'Parse'), ...task('2', 'Print')];
    await contextAfter({ id: 'tasks', format: 'anthropic', profile: 'claude-code', items });
    const more = [...update('1', 'in_progress'), ...update('2', 'deleted'), user(ofTokens(2_000))];
    await send(api, 'POST', '/sessions/tasks/items', { body: more });
    await compactNow('tasks');
    const context = await contextOf('tasks');
    const [, list = ''] = context.split('Todo list (current state):');
    expect(list).toContain('Parse');
    expect(list).toContain('in_progress');
    expect(list).not.toContain('Print');
  });

  it('no plan that the user has not approved', async () => {
    const items = [
      user(ofTokens(3_000)),
      call('1', 'ExitPlanMode', { plan: '# Rewrite it all' }),
      result('1', "The user doesn't want to proceed with this tool use.", { is_error: true }),
    ];
    const context = await contextAfter({
      id: 'rejected',
      format: 'anthropic',
      profile: 'claude-code',
      items,
    });
    expect(context).not.toContain('\n# Rewrite it all');
  });

  it('a list that the client posts counts when it is the newer one', async () => {
    const attachment: Item = {
      type: 'attachment',
      attachment: { kind: 'todo', content: [{ content: 'Posted', status: 'pending' }] },
    };
    const context = await contextAfter({
      id: 'posted',
      format: 'anthropic',
      profile: 'claude-code',
      items: [...CLAUDE, attachment],
    });
    const [, list = ''] = context.split('Todo list (current state):');
    expect(list).toContain('Posted');
    expect(list).not.toContain('Ship it');
  });

  it('a file survives ten compactions, with the edits between them', async () => {
    const edit = (n: number): Item[] => [
      call(`e${n}`, 'Edit', {
        file_path: '/w/count.ts',
        old_string: `const n = ${n};`,
        new_string: `const n = ${n + 1};`,
      }),
      result(`e${n}`, 'The file /w/count.ts has been updated successfully.'),
    ];
    const items = [
      user(ofTokens(3_000)),
      call('r', 'Read', { file_path: '/w/count.ts' }),
      result('r', '     1→// a counter\n     2→const n = 0;\n     3→'),
    ];
    await contextAfter({ id: 'ten', format: 'anthropic', profile: 'claude-code', items });
    for (let n = 0; n < 10; n++) {
      const body = [user(`Go on. ${ofTokens(2_000)}`), ...edit(n)];
      await send(api, 'POST', '/sessions/ten/items', { body });
      await compactNow('ten');
    }
    expect(await contextOf('ten')).toMatch(
      /File \/w\/count\.ts \([^)]*\):\n\/\/ a counter\nconst n = 10;\n/,
    );
  });
});
