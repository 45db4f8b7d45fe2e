import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadView } from '../../src/app/load-view.ts';
import { codecFor } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { isJsonObject } from '../../src/domain/json.ts';
import { textWhenWhole } from '../../src/domain/workspace/known-text.ts';
import { foldWorkspace } from '../../src/domain/workspace/known-workspace.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, user } from '../support/items.ts';

/**
 * A compaction puts a file back as it is now, with the edits behind its cut in it. They still stand there
 * when the next one asks what is known of the file.
 */

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const CONFIG = {
  auto_compact_enabled: false,
  protected_tokens: 400,
  min_new_tokens_between_compactions: 0,
};
const edit = (id: string, old_string: string, new_string: string, path = '/w/a.py'): Item[] => [
  call(id, 'Edit', { file_path: path, old_string, new_string }),
  result(id, 'The file /w/a.py has been updated successfully.'),
];
const talk = (): Item[] => [
  { role: 'assistant', content: ofTokens(400) },
  user(`Go on. ${ofTokens(100)}`),
];

async function append(id: string, items: Item[]): Promise<void> {
  const { status } = await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  expect(status).toBe(201);
}

/** What the context says of the file after a compaction. */
async function compact(id: string): Promise<unknown[]> {
  const reply = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
  const path = `/sessions/${id}/compactions/${reply.body.id}`;
  expect((await send(api, 'GET', path)).body.outcome).toBe('full_compacted');
  const view = await loadView(api.deps.store, { tenant: 'local', session_id: id });
  return (view?.entries ?? []).flatMap(({ origin, item }) =>
    origin === 'file' && isJsonObject(item.attachment) ? [item.attachment.content] : [],
  );
}

it('does no edit again that a file has already which was put back', async () => {
  const body = { id: 'edits', format: 'anthropic', context_window: 100_000, config: CONFIG };
  await send(api, 'POST', '/sessions', { body });
  await append('edits', [
    user('Import y, and greet.'),
    call('r', 'Read', { file_path: '/w/a.py' }),
    result('r', '     1→import x\n     2→\n     3→print(1)\n     4→'),
    ...talk(),
    ...talk(),
    ...edit('e1', 'import x', 'import x\nimport y'),
    ...edit('e2', 'print(1)', 'print(2)'),
  ]);
  expect(await compact('edits')).toEqual(['import x\nimport y\n\nprint(2)\n']);
  await append('edits', [...edit('e3', 'print(2)', 'print(2)\nprint(3)'), ...talk(), ...talk()]);
  expect(await compact('edits')).toEqual(['import x\nimport y\n\nprint(2)\nprint(3)\n']);
  await append('edits', [...talk(), ...talk()]);
  expect(await compact('edits')).toEqual(['import x\nimport y\n\nprint(2)\nprint(3)\n']);
});

/** What is known of the files when one that was put back stands in front of these items. */
function knownBehind(path: string, content: string, known_calls: string[], items: Item[]) {
  const codec = codecFor('anthropic');
  const restored = { type: 'attachment', attachment: { kind: 'file', path, content, known_calls } };
  const { files } = foldWorkspace([restored, ...items].map((item) => codec.normalise(item)));
  return files.map(({ text, changedBy }) => ({ text: textWhenWhole(text), changedBy }));
}

it('makes the edits of later calls, though servers give them the ids of earlier ones', () => {
  const later = edit('functions.edit:0', 'y', 'z');
  const items = [...edit('functions.edit:0', 'x', 'x\ny'), ...later];
  expect(knownBehind('/w/a.py', 'x\ny\n', ['functions.edit:0'], items)).toEqual([
    { text: 'x\nz\n', changedBy: null },
  ]);
  const both = ['functions.edit:0', 'functions.edit:0'];
  expect(knownBehind('/w/a.py', 'x\nz\n', both, items)).toEqual([
    { text: 'x\nz\n', changedBy: null },
  ]);
});

it('takes what was shown of a file before the edits that it has for older than it', () => {
  const lines = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
  const shown = [
    call('r', 'Read', { file_path: '/w/a.py', offset: 20, limit: 2 }),
    result('r', '    20→line 19\n    21→line 20'),
  ];
  const items = [...shown, ...edit('e1', 'line 0\n', 'top\nline 0\n')];
  expect(knownBehind('/w/a.py', `top\n${lines}`, ['e1'], items)).toEqual([
    { text: `top\n${lines}`, changedBy: null },
  ]);
});

it('knows a file still that was moved into a folder behind the cut', () => {
  const moved = [call('m', 'Bash', { command: 'mv /w/a.py /w/lib' }), result('m', '')];
  const seen = [
    call('r', 'Read', { file_path: '/w/lib/b.py' }),
    result('r', '     1→b = 1\n     2→c = 2\n     3→d = 3\n     4→'),
  ];
  expect(knownBehind('/w/lib/a.py', 'x\n', ['m'], [...seen, ...moved])).toContainEqual({
    text: 'x\n',
    changedBy: null,
  });
});

it.each(['/w/a.py', 'a.py'])('also where the call names the file otherwise: %s', (file_path) => {
  expect(knownBehind('/w/a.py', 'x\ny\n', ['e1'], edit('e1', 'x', 'x\ny', file_path))).toEqual([
    { text: 'x\ny\n', changedBy: null },
  ]);
});

it('puts no task into the list a second time', async () => {
  const body = { id: 'tasks', format: 'anthropic', context_window: 100_000, config: CONFIG };
  await send(api, 'POST', '/sessions', { body });
  const task = (number: number): Item[] => [
    call(`t${number}`, 'TaskCreate', { subject: `Step ${number}`, description: 'As told' }),
    result(`t${number}`, `Task #${number} created successfully: Step ${number}`),
  ];
  await append('tasks', [user('Plan it.'), ...task(1), ...talk(), ...talk(), ...task(2)]);
  await compact('tasks');
  await append('tasks', [...talk(), ...talk()]);
  await compact('tasks');
  const view = await loadView(api.deps.store, { tenant: 'local', session_id: 'tasks' });
  const [list] = (view?.entries ?? []).filter(({ origin }) => origin === 'todo');
  expect(JSON.stringify(list?.item).match(/Step 2/g)).toHaveLength(1);
});
