import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const rendered = z.object({ items: z.array(z.json()) });
const listed = z.object({
  data: z.array(z.object({ id: z.string(), outcome: z.string().nullable() })),
});

let count = 0;
/** A session whose agent has been asked for its packet, in each format the same talk. */
async function asked(format: string): Promise<string> {
  count += 1;
  const id = `a4-${count}`;
  const config = { packet_author: 'agent' };
  const body = { id, format, profile: 'rawr', context_window: 40_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  await append(id, [
    user('Write the new lexer tests.'),
    assistant(ofTokens(12_000)),
    assistant('The new lexer tests are written, all of it is done.'),
  ]);
  const { body: observed } = await send(api, 'POST', `/sessions/${id}/signals`, {
    body: { signal: 'turn_complete' },
  });
  expect(observed.packet).not.toBeNull();
  return id;
}

async function append(id: string, items: Item[]) {
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  expect(reply.status).toBe(201);
  return reply.body;
}

/** The context once the compaction under way has run. */
async function compacted(id: string): Promise<string[]> {
  await api.work(api.dispatched.at(-1));
  const { data } = listed.parse((await send(api, 'GET', `/sessions/${id}/compactions`)).body);
  expect(data.map(({ outcome }) => outcome)).toEqual(['full_compacted']);
  const { items } = rendered.parse((await send(api, 'GET', `/sessions/${id}/context`)).body);
  return items.map((item) => JSON.stringify(item));
}

const WISH = 'Now delete the old lexer tests, please.';
const ANSWER = 'Deleted. Anything else?';

describe('A4: a message of the user ends the wait for a packet', () => {
  describe.each(['anthropic', 'openai-chat', 'openai-responses'])('%s', (format) => {
    it.each<[string, Item[][]]>([
      ['the answer in the same append', [[user(WISH), assistant(ANSWER)]]],
      ['the answer in the next append', [[user(WISH)], [assistant(ANSWER)]]],
      [
        'a reminder of the program before it',
        [[user(`<system-reminder>a</system-reminder>\n${WISH}`)], [assistant(ANSWER)]],
      ],
    ])('%s', async (_, appends) => {
      const id = await asked(format);
      const [first, ...later] = appends;
      const reply = await append(id, first ?? []);
      expect(reply.compaction).toMatchObject({ reason: 'turn_complete', status: 'queued' });
      expect(reply.note).toMatch(/the message stands after it|the message stands behind it/);
      for (const items of later) await append(id, items);
      const items = await compacted(id);
      expect(items.at(-1)).toContain(ANSWER);
      expect(items.at(-1)).toContain('assistant');
      expect(items.at(-2)).toContain(WISH);
      expect(items.filter((item) => item.includes(ANSWER))).toHaveLength(1);
      const state = (await send(api, 'GET', `/sessions/${id}`)).body;
      expect(state.packet).toMatchObject({ state: 'idle' });
    });
  });

  it('also when the answer begins with words and a call follows in a later append', async () => {
    const id = await asked('anthropic');
    await append(id, [user(WISH)]);
    await append(id, [assistant('I will delete them.')]);
    await append(id, [call('t1', 'Bash', { command: 'rm old.test.ts' })]);
    await append(id, [result('t1', 'removed')]);
    await append(id, [assistant(ANSWER)]);
    const items = await compacted(id);
    expect(items.at(-1)).toContain(ANSWER);
    expect(items.join('\n')).toContain('I will delete them.');
  });

  it.each<[string, Item]>([
    [
      'a report of another agent',
      user(
        '<task-notification>\n<summary>Agent "x" completed</summary>\n</task-notification>\nFull transcript available at: /tmp/x',
      ),
    ],
    ['a hook', user('Stop hook feedback:\nrun the tests')],
    ['the prompt itself', user('Write the packet.', { is_meta: true })],
    ['a tool', user('done', { speaker: 'tool' })],
  ])('but %s does not end it', async (_, item) => {
    const id = await asked('anthropic');
    expect((await append(id, [item])).compaction).toBeNull();
    expect(
      (await append(id, [assistant('Goal: the lexer. Next: ship it.')])).compaction,
    ).toMatchObject({
      reason: 'turn_complete',
    });
    expect((await compacted(id)).at(-1)).toContain('Goal: the lexer. Next: ship it.');
  });

  it('does not take for the packet what an agent says before it calls a tool', async () => {
    const id = await asked('anthropic');
    await append(id, [assistant('Let me look at the state first.')]);
    await append(id, [call('t1', 'Bash', { command: 'git status' })]);
    await append(id, [result('t1', 'clean')]);
    const items = await compacted(id);
    const last = items.at(-1) ?? '';
    expect(last).toContain('"role":"user"');
    // The service's own packet, and not those words alone.
    expect(last.length).toBeGreaterThan(500);
  });

  it('refuses a packet that is posted after it', async () => {
    const id = await asked('anthropic');
    await append(id, [user(WISH)]);
    const late = await send(api, 'POST', `/sessions/${id}/packet`, { body: { text: 'Goal.' } });
    expect(late.status).toBe(409);
    expect((await compacted(id)).at(-1)).toContain(WISH);
  });

  it.each([
    'Stop hook feedback: the hook fires twice. Please delete it.',
    'Stop hook error: it says that lint is missing. Please install it.',
    'Operation stopped by hook again. Remove the hook.',
    'Another Claude session sent a message to my phone. Turn that off.',
    '# AGENTS.md instructions are outdated\nPlease rewrite AGENTS.md so that it says pnpm.',
    '# AGENTS.md instructions for this repository\nAdd them, please.',
    '# MCP Server Instructions\nWrite such a page, please.',
    '<returncode>1</returncode> is what I get. Please fix it.',
    '<returncode>1</returncode>\n<output>\nboom\n</output>\nPlease fix it.',
    'Ran `npm test`\n```\nfailed 3\n```\nPlease fix these three tests.',
    'I ran the following shell command:\n```sh\nnpm test\n```\nIt fails. Please fix it.',
    'Warning: apply_patch was requested via exec_command. Why do I see this? Please fix it.',
    'Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command.\nWhy do I see this?',
    '[ERROR] You did not use a tool in your previous response! Why do I see this?',
    '[TASK RESUMPTION] is shown twice in the list. Please fix it.',
    '[search] Result:\nnothing is found. Please fix it.',
    'Called the Read tool with the following input: what does it mean?',
    'Your command ran successfully and did not produce any output. Why not?',
    "The TodoWrite tool hasn't been used recently. Use it.",
  ])('the user who begins like a program ends it: %j', async (words) => {
    const id = await asked('anthropic');
    const reply = await append(id, [user(words)]);
    expect(reply.compaction).toMatchObject({ reason: 'turn_complete', status: 'queued' });
    await append(id, [assistant(ANSWER)]);
    const items = await compacted(id);
    expect(items.at(-1)).toBe(JSON.stringify(assistant(ANSWER)));
    expect(items.at(-2)).toContain(JSON.stringify(words).slice(1, -1));
  });
});
