import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, text, user } from '../support/items.ts';

const FEW_EDITS_OF_ALL: Item[] = [
  call('w', 'Write', { file_path: '/a', content: 'y\n'.repeat(1_000) }),
  result('w', 'File created successfully at: /a'),
  ...[0, 1, 2, 3].flatMap((n): Item[] => [
    call(`e${n}`, 'Edit', {
      file_path: '/a',
      old_string: 'y',
      new_string: 'yyyyyyyyyy\n'.repeat(10),
      replace_all: true,
    }),
    result(`e${n}`, 'The file /a has been updated. All occurrences were successfully replaced.'),
  ]),
];
const shell = (command: string, answer = 'ok'): Item[] => [
  call('b', 'Bash', { command }),
  result('b', answer),
];

describe('I1: a few kilobytes of tool calls do not keep a session from being compacted', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it.each<[string, Item[]]>([
    ['edits of all places of a small file, 100 times as large each time', FEW_EDITS_OF_ALL],
    [
      'a `printf` that repeats a long format for each of its words',
      shell(`printf '${'X'.repeat(60_000)}%s' ${'a '.repeat(10_000)}`),
    ],
    ['a command with thousands of files', shell(`rm ${'a '.repeat(200_000)}`, '')],
    ['programs that run one another', shell('find . -exec '.repeat(4_000))],
  ])('%s', async (what, items) => {
    const body = { id: what.length.toString(), context_window: SMALL_WINDOW };
    const config = { auto_compact_enabled: false };
    expect((await send(api, 'POST', '/sessions', { body: { ...body, config } })).status).toBe(201);
    const talk = { role: 'assistant', content: ofTokens(3_000) };
    const all = [user([text('Go.')]), ...items, user('And now?'), talk, user('Go on.')];
    const path = `/sessions/${body.id}`;
    expect((await send(api, 'POST', `${path}/items`, { body: all })).status).toBe(201);
    const dry = await send(api, 'POST', `${path}/compact`, {
      body: { mode: 'full', dry_run: true },
    });
    expect(dry.status).toBe(200);
    await send(api, 'POST', `${path}/compact`, { body: { mode: 'full' } });
    await api.work(api.dispatched.at(-1));
    const { body: compactions } = await send(api, 'GET', `${path}/compactions`);
    expect(compactions.data).toMatchObject([{ outcome: 'full_compacted' }]);
  });
});
