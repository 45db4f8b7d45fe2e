import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { ofTokens, tool, user } from '../support/items.ts';

describe('B4: results of tools that nobody has listed', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(() => api.close());

  /** The ids that the first compaction of a full session of 32,000 tokens clears or shortens. */
  async function touched(names: string[], session: object): Promise<string[]> {
    await send(api, 'POST', '/sessions', { body: { id: 's', context_window: 32_000, ...session } });
    const items: Item[] = [
      user('Look it up.'),
      ...names.flatMap((name, n) => tool(`${n} ${name}`, name, 2_600)),
    ];
    await send(api, 'POST', '/sessions/s/items', { body: items });
    const job = api.dispatched.at(-1);
    await api.work(job);
    const { body } = await send(api, 'GET', `/sessions/s/compactions/${job?.compaction_id}`);
    expect(body.outcome).toBe('micro_compacted');
    const edits = body.cleared_tool_results as { tool_use_id: string }[];
    return edits.map(({ tool_use_id }) => tool_use_id.split(' ')[1] ?? '');
  }

  const UNLISTED = ['mcp__github__search', 'sql_query', 'browser_snapshot', 'Edit', 'Weather'];
  const NEWEST = ['Bash', 'Bash', 'Bash', 'Bash', 'Bash'];

  it.each(['default', 'tiered'])(
    '%s: they are cleared or shortened like those of Bash',
    async (profile) => {
      const config = profile === 'default' ? { micro_compact_target_tokens: 0 } : {};
      const found = await touched([...UNLISTED, ...NEWEST], { profile, config });
      expect(found).toEqual(expect.arrayContaining(UNLISTED));
    },
  );

  it.each([
    'TodoWrite',
    'update_plan',
    'AskUserQuestion',
    'mcp__memory__read',
    'mcp__palimpsest__recall',
  ])('default: a result of %s stays', async (name) => {
    const config = { micro_compact_target_tokens: 0 };
    const found = await touched([name, ...UNLISTED, ...NEWEST.slice(1)], { config });
    expect(found).toEqual(expect.arrayContaining(UNLISTED));
    expect(found).not.toContain(name);
  });

  it.each<[string[], string[]]>([
    [['*'], ['mcp__a__x', 'mcp__b__y', 'sql']],
    [['mcp__*'], ['mcp__a__x', 'mcp__b__y']],
    [
      ['MCP__A__*', 'SQL'],
      ['mcp__a__x', 'sql'],
    ],
    [
      ['*', '!mcp__*__y'],
      ['mcp__a__x', 'sql'],
    ],
    [
      ['*_x', 's*l'],
      ['mcp__a__x', 'sql'],
    ],
  ])('patterns %j clear %j', async (patterns, expected) => {
    const config = {
      micro_compact_eligible_tools: patterns,
      micro_compact_target_tokens: 0,
      micro_compact_keep_last_n_tools: 0,
      micro_compact_min_tokens_to_save: 100,
      auto_compact_threshold: 8_000,
    };
    const others = ['other', 'other'];
    const found = await touched([...others, 'mcp__a__x', 'mcp__b__y', 'sql'], {
      config: { ...config, micro_compact_escalate: false },
    });
    expect(found.filter((name) => name !== 'other').toSorted()).toEqual(expected);
  });

  it.each([['mcp__[a-z]+'], ['Bash|Read'], ['!'], ['!Bash'], ['two words']])(
    'the pattern %j is refused in words',
    async (pattern) => {
      const config = { micro_compact_eligible_tools: [pattern] };
      const reply = await send(api, 'POST', '/sessions', { body: { id: 's', config } });
      expect(reply.status).toBe(400);
      expect(reply.text).toContain('micro_compact_eligible_tools');
      expect(reply.body.detail).toMatch(/is neither the name of a tool|only leaves tools out/);
      const environment = { PALIMPSEST_MICRO_COMPACT_ELIGIBLE_TOOLS: JSON.stringify([pattern]) };
      expect(() => readSettings(environment)).toThrow('micro_compact_eligible_tools');
    },
  );

  it('a hostile pattern against a hostile name takes no time', async () => {
    const config = { micro_compact_eligible_tools: [`${'*a'.repeat(99)}*b`] };
    await send(api, 'POST', '/sessions', { body: { id: 's', context_window: 4_000, config } });
    const items = [user('Go.'), ...tool('x', 'a'.repeat(100_000), 10), user(ofTokens(4_000))];
    await send(api, 'POST', '/sessions/s/items', { body: items });
    const started = cpuMs();
    await api.work(api.dispatched.at(-1));
    expect(cpuMs() - started).toBeLessThan(2_000);
  });
});
