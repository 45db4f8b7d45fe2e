import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, MODES, ROLES, STATES } from '../../src/cli/reading-commands.ts';
import { STATES as KNOWN_STATES } from '../../src/domain/context/standing.ts';
import { KINDS as KNOWN_KINDS, ROLES as KNOWN_ROLES } from '../../src/domain/search/documents.ts';
import { modeSchema } from '../../src/domain/session/events.ts';
import type { Summarizer, WrittenText } from '../../src/workers/summarizers/summarizer.ts';
import { Conversations } from '../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';
import { palimpsest, palimpsestInto } from '../support/palimpsest-command.ts';

let api: ApiServer;
const { create, compacted } = new Conversations(() => api);
const servers: Server[] = [];
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  for (const server of servers) server.close();
  await api.close();
});

/** What a command prints for people. */
const text = (...args: string[]) =>
  palimpsest([...args, '--text'], { PALIMPSEST_URL: api.url, COLUMNS: '80' });
/** What it prints where the output is no terminal. */
const json = (...args: string[]) => palimpsest(args, { PALIMPSEST_URL: api.url });

/** A server that is none of ours, or of another release. */
async function serverOf(answers: Record<string, string>): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const body = answers[url.split('?')[0] ?? ''];
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body ?? '{"type":"urn:palimpsest:problem:not-found","detail":"nothing here"}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the commands that read', () => {
  it('say what to do where there is nothing yet', async () => {
    const { code, stdout } = await text('list');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `No sessions in ${api.url} yet.\nBring one in: palimpsest import FILE\n`,
    });
  });

  it('print the answers of the API as JSON where the output is no terminal', async () => {
    const id = await create();
    const compaction = await compacted(id, { mode: 'full' });
    const answer = async (path: string) => (await send(api, 'GET', path)).body;
    const cases: [string[], unknown][] = [
      [['list', '--limit', '1'], await answer('/sessions?limit=1')],
      [['show', id, '2'], { seq: 2, item: user('Read the files.') }],
      [['show', id, compaction], await answer(`/sessions/${id}/compactions/${compaction}`)],
      [['context', id], await answer(`/sessions/${id}/context?origins=true`)],
      [['diff', id, compaction], await answer(`/sessions/${id}/compactions/${compaction}/diff`)],
      [
        ['diff', id, compaction, '--covered'],
        await answer(`/sessions/${id}/compactions/${compaction}/covered?limit=20`),
      ],
      [['trace', id, '3'], await answer(`/sessions/${id}/items/3/trace`)],
      [['search', 'Question', '--session', id], await answer(`/sessions/${id}/search?q=Question`)],
    ];
    for (const [args, expected] of cases) {
      const { code, stdout, stderr } = await json(...args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject(expected as object);
    }
    const { stdout } = await json('show', id);
    expect(JSON.parse(stdout)).toMatchObject({
      session: { id },
      compactions: { data: [{ id: compaction }] },
    });
  });

  it('show an item with the time at which it was said', async () => {
    const id = await create();
    const said = { ...user('Said long ago.'), timestamp: '2024-05-06T09:08:07+02:00' };
    const { body } = await send(api, 'POST', `/sessions/${id}/items`, { body: { items: [said] } });
    const { stdout } = await text('show', id, `${(body as { version: number }).version}`);
    expect(stdout).toContain('user, 2024-05-06 07:08 UTC');
  });

  it('show the summary that a search has found by its number', async () => {
    const id = await create();
    const compaction = await compacted(id, { mode: 'full' });
    const { stdout: found } = await json('search', 'files', '--session', id, '--kind', 'summary');
    const { data } = JSON.parse(found) as { data: { seq: number }[] };
    const { stdout, code } = await json('show', id, `${data[0]?.seq}`);
    expect({ code, shown: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      shown: { id: compaction, summary: expect.stringContaining('files') },
    });
  });

  it("show a client's own summary by its number", async () => {
    const id = await create();
    const summary =
      'This session is being continued from a previous conversation that ran out of context. ' +
      'The summary below covers the earlier portion of the conversation.\n\nThe ships are built.';
    const items = [user(summary), user('Paint them.')];
    expect(await send(api, 'POST', `/sessions/${id}/sync`, { body: { items } })).toMatchObject({
      body: { is_compacted_by_client: true },
    });
    const { stdout: found } = await json('search', 'ships', '--session', id, '--kind', 'summary');
    const { data } = JSON.parse(found) as { data: { seq: number }[] };
    const { stdout, code } = await text('show', id, `${data[0]?.seq}`);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Summary \d+ of .+: by its client, [\s\S]+The ships are built\./,
      ),
    });
  });

  it('page what is long', async () => {
    const id = await create();
    const { body } = await send(api, 'GET', '/sessions?limit=1');
    const { stdout: list } = await text('list', '--limit', '1');
    expect(list).toContain(`More: palimpsest list --cursor ${body.next_cursor}`);
    const { stdout: next } = await text('list', '--limit', '1', '--cursor', `${body.next_cursor}`);
    expect(next.split('\n')[1]).not.toContain(id);

    const { stdout } = await text('context', id, '--limit', '4');
    const lines = stdout.split('\n');
    expect(lines.filter((line) => / log | initial /.test(line))).toHaveLength(4);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}… \d+ lines more: --limit \d+$/));
  });

  it('say which figures of a plan are without the margin, and of what came of a proposal', async () => {
    const id = await create({ auto_compact_enabled: false });
    const { stdout: plan } = await text('compact', id, '--mode', 'full', '--dry-run');
    expect(plan).toContain('estimated without the safety margin');
    const proposed = await compacted(id, { mode: 'full', propose: true });
    await send(api, 'POST', `/sessions/${id}/compactions/${proposed}/discard`);
    const { stdout: shown } = await text('show', id);
    expect(shown).toMatch(/ {2}discarded, .+\n.+ UTC, on request: a proposal was asked for\n/);
  });

  it('say that the model failed, and whose the summary is', async () => {
    const failing: Summarizer<WrittenText> = {
      kind: 'asking',
      name: 'openai/made-up',
      summarize: async () => {
        return { ok: false, reason: 'api_error', message: 'openai: bad key', retryable: false };
      },
    };
    const own = await startApi({}, failing);
    try {
      const there = new Conversations(() => own);
      const id = await there.create({ auto_compact_enabled: false });
      const path = `/sessions/${id}/compactions/${await there.compacted(id, { mode: 'full' })}`;
      const { text: detail } = await send(own, 'GET', path);
      const url = await serverOf({ [`/sessions/${id}/compact`]: detail, [path]: detail });
      const { stdout } = await palimpsest(['compact', id, '--text'], { PALIMPSEST_URL: url });
      expect(stdout).toContain(
        'The model gave no summary (openai: bad key): this one was taken from the log.',
      );
      const brokenOff = detail.replaceAll('"reason":"api_error"', '"reason":"interrupted"');
      const other = await serverOf({ [`/sessions/${id}/compact`]: detail, [path]: brokenOff });
      const shown = await palimpsest(['compact', id, '--text'], { PALIMPSEST_URL: other });
      expect(shown.stdout).not.toContain('The model');
    } finally {
      await own.close();
    }
  });

  it('say in words why nothing was compacted', async () => {
    const id = 'in-words';
    await send(api, 'POST', '/sessions', { body: { id, context_window: 16_000 } });
    await send(api, 'POST', `/sessions/${id}/items`, { body: [user('Why?')] });
    const compaction = await compacted(id, { mode: 'full' });
    expect((await text('show', id)).stdout).toContain('  log         1 item, version 5\n');
    expect((await text('show', id, compaction)).stdout).toMatch(
      / UTC, on request; the summary would have been as long as what it tells\n/,
    );
  });

  it('print no line that is wider than the terminal, but for ids', async () => {
    const id = await create();
    const compaction = await compacted(id, { mode: 'full' });
    for (const args of [['list'], ['context', id], ['diff', id, compaction]]) {
      const { stdout } = await palimpsest([...args, '--text'], {
        PALIMPSEST_URL: api.url,
        COLUMNS: '76',
      });
      const wide = stdout.split('\n').filter((line) => [...line].length > 76);
      expect(wide.filter((line) => !line.includes(compaction))).toEqual([]);
    }
  });

  it('hand no control to the terminal, in text and in JSON', async () => {
    const evil = 'before \u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202egnp.exe\u0000 after';
    await send(api, 'POST', '/sessions', {
      body: { id: 'evil', metadata: { note: evil }, model: `m\u001b[31m` },
    });
    const items = [
      user(evil),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c\u001b[1m', name: 'x\u001b[5m', input: { evil } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c\u001b[1m', content: evil }],
      },
    ];
    const posted = await send(api, 'POST', '/sessions/evil/items', { body: items });
    expect(posted.status).toBe(201);
    const commands = [
      ['list'],
      ['show', 'evil'],
      ['show', 'evil', '2'],
      ['context', 'evil'],
      ['search', 'before', '--session', 'evil'],
    ];
    for (const args of commands) {
      for (const flag of ['--text', '--json']) {
        const { code, stdout } = await palimpsest([...args, flag], { PALIMPSEST_URL: api.url });
        expect({ args, code }).toEqual({ args, code: 0 });
        expect(stdout.match(/(?!\n)[\p{Cc}\p{Cf}]/gu)).toBeNull();
      }
    }
    const { stdout } = await text('show', 'evil', '2');
    expect(stdout).toContain('before ␛]52;c;ZXZpbA==␇␛[2J<U+009B>31m<U+202E>gnp.exe␀ after');
    expect(JSON.parse((await json('show', 'evil', '2')).stdout)).toMatchObject({
      item: user(evil),
    });
  });

  it('choose among what the API knows', () => {
    expect({ ROLES, KINDS, STATES, MODES }).toEqual({
      ROLES: KNOWN_ROLES,
      KINDS: KNOWN_KINDS,
      STATES: KNOWN_STATES,
      MODES: modeSchema.options,
    });
  });
});

describe('what a user can do wrong', () => {
  const UNKNOWN = '01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f';

  it.each([
    ['show', ['show', 'nobody']],
    ['an item of it', ['show', 'nobody', '1']],
    ['context', ['context', 'nobody']],
    ['diff', ['diff', 'nobody', UNKNOWN]],
    ['search', ['search', 'x', '--session', 'nobody']],
    ['trace', ['trace', 'nobody', '1']],
    ['covered', ['diff', 'nobody', UNKNOWN, '--covered']],
    ['compact', ['compact', 'nobody']],
    ['revert', ['revert', 'nobody', UNKNOWN]],
  ])('an unknown session: %s', async (_name, args) => {
    expect(await json(...args)).toEqual({
      code: 1,
      stdout: '',
      stderr: `there is no session "nobody" in ${api.url}: "palimpsest list" shows those that there are\n`,
    });
  });

  it.each([['show'], ['diff'], ['diff', '--covered'], ['revert']])(
    'an unknown compaction: %s %s',
    async (command, ...options) => {
      const id = await create();
      expect(await json(command, id, UNKNOWN, ...options)).toEqual({
        code: 1,
        stdout: '',
        stderr: `session "${id}" has no compaction "${UNKNOWN}": "palimpsest show ${id}" lists them\n`,
      });
    },
  );

  it('a full disk', async () => {
    const { code, stderr } = await palimpsestInto('/dev/full', ['list', '--url', api.url]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^the output cannot be written: ENOSPC.*\n$/),
    });
  });

  it('an item or a version that is not there', async () => {
    const id = await create();
    const { code, stderr } = await json('show', id, '999');
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has no item with seq 999: its versions go from 1 to \d+/),
    });
    for (const args of [
      ['context', id, '--at', '999'],
      ['trace', id, '999'],
    ]) {
      const refused = { code: 1, stdout: '', stderr: expect.stringMatching(/^404: .*999/) };
      expect(await json(...args)).toEqual(refused);
    }
  });

  it('no service', async () => {
    const url = await serverOf({});
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await palimpsest(['list', '--url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `the service at ${url} cannot be reached (ECONNREFUSED): check --url (or PALIMPSEST_URL), ` +
        'and start the service with "palimpsest serve" if it is not running\n',
    });
  });

  it('no key, and a wrong one', async () => {
    const closed = await startApi({ keys: [{ name: 'team-a', key: 'SECRET' }] });
    const list = (key: Record<string, string>) => palimpsest(['list', '--url', closed.url], key);
    expect(await list({})).toMatchObject({
      code: 1,
      stderr: `${closed.url} wants a key: set PALIMPSEST_API_KEY to yours\n`,
    });
    expect(await list({ PALIMPSEST_API_KEY: 'WRONG' })).toMatchObject({
      code: 1,
      stderr: `${closed.url} does not know the key in PALIMPSEST_API_KEY: check it, or ask its operator for another\n`,
    });
    expect(await list({ PALIMPSEST_API_KEY: 'SECRET' })).toMatchObject({ code: 0 });
    await closed.close();
  });

  it('a service of another release, whether it lacks the path or answers something else', async () => {
    const older = { '/healthz': '{"status":"ok","version":"0.0.1"}' };
    for (const answers of [older, { ...older, '/sessions': '{"sessions":[]}' }]) {
      const url = await serverOf(answers);
      const { code, stderr } = await palimpsest(['list', '--url', url]);
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /http:\S+ is Palimpsest 0\.0\.1 and this command is of \d\S+, .*: use the command of the same release\n$/,
        ),
      });
    }
  });

  it('a server that is no Palimpsest, whatever it sends', async () => {
    const url = await serverOf({ '/sessions': '<html>\u001b[2J', '/healthz': 'fine \u001b[31m' });
    expect(await palimpsest(['list', '--url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${url} is no Palimpsest service: check --url (or PALIMPSEST_URL)\n`,
    });
  });

  it('the address of a page of the service in place of its own', async () => {
    const url = await serverOf({ '/healthz': '{"version":"0.2.0"}' });
    const { code, stderr } = await palimpsest(['list', '--url', `${url}/sessions/`]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${url}/sessions is no Palimpsest service: check --url (or PALIMPSEST_URL)\n`,
    });
  });

  it.each([
    [
      'an address that is none',
      ['list', '--url', 'localhost:8787'],
      2,
      'write the address of the service',
    ],
    [
      'a tenant beside an address',
      ['list', '--url', 'http://127.0.0.1:1', '--tenant', 'a'],
      2,
      'leave --tenant out',
    ],
    ['an id that cannot be one', ['show', '..'], 2, '".." cannot be the id of a session'],
    ['no session', ['show'], 2, 'run palimpsest show --help'],
    ['an item of number 0', ['show', 's', '0'], 2, 'a whole number of items from 1 to'],
    ['no words', ['search'], 2, "missing required argument 'words'"],
    [
      'a limit that is no number',
      ['list', '--limit', 'all'],
      2,
      'a whole number of sessions from 1 to 500',
    ],
    [
      'a version that is none',
      ['context', 's', '--at', '0'],
      2,
      'a whole number of versions from 1 to',
    ],
    [
      'an unknown mode',
      ['compact', 's', '--mode', 'hard'],
      2,
      'Allowed choices are auto, micro, full, remote',
    ],
    [
      'an unknown state',
      ['search', 'x', '--state', 'gone'],
      2,
      'Allowed choices are in_context, cleared, summarised',
    ],
    [
      'a time that is none',
      ['search', 'x', '--since', 'yesterday'],
      1,
      'must be a time such as 2026-01-02T03:04:05Z',
    ],
    ['too many words', ['list', 'all'], 2, 'too many arguments'],
  ])('%s', async (_name, args, code, words) => {
    const done = await json(...args);
    expect({ code: done.code, stdout: done.stdout }).toEqual({ code, stdout: '' });
    expect(done.stderr).toContain(words);
  });

  it('an option of another: help names the command', async () => {
    const { code, stdout } = await json('search', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Examples:\n  palimpsest search prompts.go');
  });
});

describe('a compaction that goes on for longer than an answer is held', () => {
  it('is waited for', async () => {
    const id = await create();
    const path = `/sessions/${id}/compactions/${await compacted(id, { mode: 'full' })}`;
    const { body } = await send(api, 'GET', path);
    const running = { ...(body as object), status: 'running', outcome: null, ended_at: null };
    const url = await serverOf({
      [`/sessions/${id}/compact`]: JSON.stringify(running),
      [`/sessions/${id}/context`]: '{}',
      [path]: JSON.stringify(body),
    });
    const { code, stdout, stderr } = await palimpsest(['compact', id, '--url', url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ended', outcome: 'full_compacted' });
  });
});
