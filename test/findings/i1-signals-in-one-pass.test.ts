import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { assistant, call, user } from '../support/items.ts';

const SIZE = 400_000;
const runs = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE);
const series = (of: (n: number) => string, most = 200) =>
  Array.from({ length: most }, (_, n) => of(n + 1));
const everywhere = (phrases: string[]) => ({
  signal_topic_shift: phrases,
  signal_agent_done: phrases.slice(0, 100),
  signal_agent_done_unless: phrases.slice(100),
});

describe('I1: what a tenant sets as signals does not decide how long an append takes', () => {
  let api: ApiServer;
  let sessions = 0;
  beforeAll(async () => {
    const rest = { items_per_request: 1_000, json_depth: 64, json_values: 400_000 };
    api = await startApi({
      limits: { ...rest, body_bytes: 16_777_216, rate_per_minute_per_key: null },
    });
  });
  afterAll(() => api.close());

  /** Milliseconds of the processor for an append to a new session, the least of some. */
  async function timeOf(items: JsonObject[], config: JsonObject): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3; attempt++) {
      sessions += 1;
      const id = `s-${sessions}`;
      await send(api, 'POST', '/sessions', { body: { id, profile: 'rawr', config } });
      const body = JSON.stringify({ items: [user('Go on.'), ...items] });
      const started = cpuMs();
      const { status } = await send(api, 'POST', `/sessions/${id}/items`, { body });
      expect(status).toBe(201);
      least = Math.min(least, cpuMs() - started);
    }
    return least;
  }

  it.each<[string, string, JsonObject]>([
    ['runs of one letter', runs('a'), everywhere(series((n) => 'a'.repeat(n)))],
    [
      'words that begin alike',
      runs('xa xa '),
      everywhere(series((n) => `a${' xa'.repeat(n / 3)}`)),
    ],
    ['signs', runs('-a'), everywhere(series((n) => `${'-a'.repeat(n / 2)}a`))],
    [
      'a last letter that never comes',
      runs('a'),
      everywhere(series((n) => `${'a'.repeat(n - 1)}b`)),
    ],
  ])('phrases of %s', async (_, text, config) => {
    const plain = await timeOf([assistant(text)], {});
    const hostile = await timeOf([assistant(text)], config);
    expect(hostile).toBeLessThan(15 * Math.max(plain, 30));
  });

  it.each<[string, string]>([
    ['short steps', 'git a;'],
    ['options', 'git -a '],
    ['one program', 'git '],
    ['words in front', 'sudo env A=b '],
    ['other programs', 'ls -l\n'],
  ])('hundreds of configured commands, and calls of many %s', async (_, unit) => {
    const config = {
      signal_commit_commands: series((n) => `git commit${n}`),
      signal_pr_commands: series((n) => `git -x pr${n}`),
    };
    const calls = Array.from({ length: 4 }, (_, n) =>
      call(`c${n}`, 'Bash', { command: runs(unit) }),
    );
    const plain = await timeOf(calls, { signal_commit_commands: [], signal_pr_commands: [] });
    const hostile = await timeOf(calls, config);
    expect(hostile).toBeLessThan(15 * Math.max(plain, 30));
  });

  it('still hears what a long reply says at its end, and sees the commit after a long file', async () => {
    const id = 'long';
    await send(api, 'POST', '/sessions', {
      body: { id, profile: 'rawr', context_window: 2_000_000 },
    });
    const heredoc = `cat > a.ts <<'EOF'\n${'const a = 1;\n'.repeat(20_000)}EOF\ngit commit -am "Add a"`;
    await send(api, 'POST', `/sessions/${id}/items`, {
      body: [
        user('Write the file and commit it.'),
        call('c1', 'Bash', { command: heredoc }),
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
        assistant(`${'This is what I have looked at. '.repeat(10_000)}The task is done.`),
      ],
    });
    const { body } = await send(api, 'GET', `/sessions/${id}`);
    expect(body.signals).toEqual(['commit', 'agent_done']);
  });
});
