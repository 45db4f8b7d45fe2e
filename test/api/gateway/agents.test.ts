import { afterEach, beforeEach, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

/**
 * Clients fork sessions, and go on in both. Codex gives the agents that its model spawns the whole history of their parent, unless it is told not
 * to; parent and agents work on at the same time.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const user = (content: string) => ({ role: 'user', content });
const said = { role: 'assistant', content: 'Done.' };
const TOLD = [user('Mend the build.'), said, user('Use an agent for the tests.'), said];

type Headers = Record<string, string>;

it.each<[client: string, path: string, first: Headers, fork: Headers]>([
  [
    'Claude Code with --fork-session',
    '/v1/messages',
    { 'x-claude-code-session-id': 'first' },
    { 'x-claude-code-session-id': 'fork' },
  ],
  [
    'codex fork',
    '/v1/responses',
    { 'session-id': 'first', 'thread-id': 'first' },
    { 'session-id': 'fork', 'thread-id': 'fork' },
  ],
])(
  'a session that %s goes on with under another name has a log of its own',
  async (_, path, first, fork) => {
    const ask = async (history: object[], headers: Headers) => {
      const field = path === '/v1/responses' ? 'input' : 'messages';
      const body = { model: 'm', max_tokens: 10, [field]: history };
      const answer = await lab.post(path, body, headers);
      expect(answer.status, answer.text).toBe(200);
      return answer.session;
    };
    const main = await ask(TOLD.slice(0, 3), first);
    await expect.poll(() => lab.items(main)).toHaveLength(TOLD.length);
    const tried = [...TOLD, user('Try another port here.')];
    const own = await ask(tried, fork);
    expect(own).not.toBe(main);
    expect(await ask([...TOLD, user('Write the changelog.')], first)).toBe(main);
    expect(await ask([...tried, said, user('And its docs?')], fork)).toBe(own);
    expect(JSON.stringify(await lab.items(main))).not.toContain('Try another port');
    expect(JSON.stringify(await lab.items(own))).not.toContain('changelog');
    for (const [id, name] of [
      [main, 'first'],
      [own, 'fork'],
    ]) {
      const { body } = await send(lab.api, 'GET', `/sessions/${id}`);
      expect(body).toMatchObject({ metadata: { gateway: { name } } });
    }
  },
);

it.each<[client: string, path: string, parent: Headers, agent: Headers]>([
  [
    'Codex',
    '/v1/responses',
    { 'session-id': 'main', 'thread-id': 'main' },
    { 'session-id': 'main', 'thread-id': 'agent' },
  ],
  [
    'Claude Code',
    '/v1/messages',
    { 'x-claude-code-session-id': 'main' },
    { 'x-claude-code-session-id': 'main', 'x-claude-code-agent-id': 'agent' },
  ],
])(
  'an agent of %s has a session of its own, with what it was given',
  async (_, path, parent, agent) => {
    const ask = async (history: object[], headers: Headers) => {
      const field = path === '/v1/responses' ? 'input' : 'messages';
      const answer = await lab.post(
        path,
        { model: 'm', max_tokens: 10, [field]: history },
        { 'x-palimpsest-context-window': '20000', ...headers },
      );
      expect(answer.status, answer.text).toBe(200);
      return answer.session;
    };
    const main = await ask(TOLD.slice(0, 1), parent);
    await ask(TOLD.slice(0, 3), parent);
    await expect.poll(() => lab.items(main)).toHaveLength(TOLD.length);
    const task = [...TOLD, user('You are an agent: mend the tests.')];
    const own = await ask(task, agent);
    expect(own).not.toBe(main);
    expect(await ask([...TOLD, user('And the docs?')], parent)).toBe(main);
    expect(await ask([...task, said, user('And those of the docs?')], agent)).toBe(own);
    expect(JSON.stringify(await lab.items(main))).not.toContain('agent: mend');
    expect(JSON.stringify(await lab.items(own))).not.toContain('And the docs?');
    const forked = (await lab.events(own)).find(({ type }) => type === 'session.forked');
    expect(forked?.data).toMatchObject({ parent_session_id: main, parent_version: 5 });
    expect((await lab.api.deps.store.sessions('local', { limit: 9 })).data).toHaveLength(2);
    expect(lab.provider.invalid).toEqual([]);
  },
);
