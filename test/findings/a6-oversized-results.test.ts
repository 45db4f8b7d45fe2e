import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codecFor, FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { PROFILES, type Profile } from '../../src/domain/policy/profiles.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { configOf, log, REQUEST, SHAPES } from '../support/readings.ts';
import { atScale } from '../support/scale.ts';

describe('A6: results that are larger than what the window can carry', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi({
      limits: {
        body_bytes: 20_000_000,
        items_per_request: 100,
        json_depth: 64,
        json_values: 1_000_000,
        rate_per_minute_per_key: null,
      },
    });
  });
  afterEach(() => api.close());

  async function open(format: Format, profile: Profile, window: number): Promise<void> {
    const body = {
      id: 's',
      format,
      profile,
      context_window: window,
      config: configOf(profile, window),
    };
    expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  }

  /** Appends, and runs every compaction that this asks for. */
  async function append(...items: Item[]): Promise<void> {
    const done = api.dispatched.length;
    const reply = await send(api, 'POST', '/sessions/s/items', { body: items });
    expect(reply.status, reply.text.slice(0, 300)).toBe(201);
    for (let next = done; next < api.dispatched.length; next++)
      await api.work(api.dispatched[next]);
    api.advance(1_000);
  }

  async function context(format: Format): Promise<{ text: string; tokens: number }> {
    const { body, text } = await send(api, 'GET', '/sessions/s/context');
    expect(codecFor(format).violations(body.items as Item[])).toEqual([]);
    return { text, tokens: Number(body.tokens) };
  }

  async function summaries(): Promise<number> {
    const { body } = await send(api, 'GET', '/sessions/s');
    return (body.counts as { compactions: { full: number } }).compactions.full;
  }

  const ALL = PROFILES.flatMap((profile) =>
    [16_000, 32_000, 200_000].flatMap((window) =>
      (window === 16_000 ? FORMATS : FORMATS.slice(0, 1)).map((format) => ({
        profile,
        window,
        format,
      })),
    ),
  );
  const READINGS = atScale({ brief: 8, short: 20, long: 20 });
  // Five for each profile: every third has all profiles, windows and formats.
  const CASES = ALL.filter((_, index) => index % atScale({ brief: 3, short: 1, long: 1 }) === 0);

  it.each(CASES)(
    `$profile, $window tokens, $format: ${READINGS} readings`,
    async ({ profile, window, format }) => {
      await open(format, profile, window);
      const { request, exchange } = SHAPES[format];
      await append(request);
      for (let round = 1; round <= READINGS; round++) {
        const before = await summaries();
        // Larger than the window by itself; every other tool is one that nobody has listed.
        const name = round % 2 === 0 ? 'mcp__logs__read' : 'Bash';
        await append(...exchange(`call_${round}`, name, log(round, window * 4)));
        const { text, tokens } = await context(format);
        expect(text).toContain(REQUEST);
        expect(text).toContain(`FIRST LINE of reading ${round}`);
        expect(text).toContain(`LAST LINE of reading ${round}`);
        expect(tokens).toBeLessThan(window * 0.95);
        const calls = (await summaries()) - before;
        expect(calls).toBeLessThanOrEqual(profile === 'tiered' ? 0 : 1);
      }
      const { body } = await send(api, 'GET', '/sessions/s/compactions?limit=100');
      const outcomes = (body.data as { outcome: string }[]).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'failed' || outcome === 'skipped')).toEqual(
        [],
      );
    },
  );

  it.each(PROFILES)('%s: 30 results of one turn which together are too large', async (profile) => {
    await open('anthropic', profile, 32_000);
    await append(SHAPES.anthropic.request);
    const ids = Array.from({ length: 30 }, (_, n) => n + 1);
    const use = (n: number) => ({
      type: 'tool_use',
      id: `t${n}`,
      name: 'Read',
      input: { file_path: `${n}.log` },
    });
    const result = (n: number) => ({
      type: 'tool_result',
      tool_use_id: `t${n}`,
      content: log(n, 12_000),
    });
    await append(
      { role: 'assistant', content: ids.map(use) },
      { role: 'user', content: ids.map(result) },
    );
    const { text, tokens } = await context('anthropic');
    for (const n of ids) {
      expect(text).toContain(`FIRST LINE of reading ${n}\\n`);
      expect(text).toContain(`LAST LINE of reading ${n}"`);
    }
    expect(text).toContain(REQUEST);
    expect(tokens).toBeLessThan(32_000);
  });

  it.each(PROFILES)(
    '%s: results that were logged between the pieces of one message',
    async (profile) => {
      await open('anthropic', profile, 32_000);
      // As Claude Code logs parallel calls: a line for each block, and a result as soon as it is there.
      const piece = (n: number): Item => ({
        id: 'msg_1',
        role: 'assistant',
        content: [
          { type: 'tool_use', id: `t${n}`, name: 'Read', input: { file_path: `${n}.log` } },
        ],
      });
      const result = (n: number): Item => ({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: log(n, 36_000) }],
      });
      const ids = [1, 2, 3, 4, 5];
      await append(SHAPES.anthropic.request, ...ids.flatMap((n) => [piece(n), result(n)]));
      const { text, tokens } = await context('anthropic');
      for (const n of ids) {
        expect(text).toContain(`FIRST LINE of reading ${n}\\n`);
        expect(text).toContain(`LAST LINE of reading ${n}"`);
      }
      expect(text).toContain(REQUEST);
      expect(tokens).toBeLessThan(32_000);
    },
  );

  it.each(PROFILES)('%s: a message of the user larger than the window', async (profile) => {
    await open('anthropic', profile, 32_000);
    await append({ role: 'user', content: 'Hello.' }, { role: 'assistant', content: 'Hello.' });
    const message = `Here is my log: ${log(1, 300_000)}\nWhat is wrong with it?`;
    await append({ role: 'user', content: message });
    const { text, tokens } = await context('anthropic');
    expect(text).toContain('Here is my log:');
    expect(text).toContain('What is wrong with it?');
    expect(tokens).toBeLessThan(32_000);
  });

  it.each(PROFILES)('%s: a call with an input larger than the window', async (profile) => {
    await open('anthropic', profile, 32_000);
    await append(SHAPES.anthropic.request);
    const input = { file_path: 'big.sql', content: log(1, 300_000) };
    await append({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'w', name: 'Write', input }],
    });
    const content = 'File created successfully at: big.sql';
    await append({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'w', content }] });
    const { text, tokens } = await context('anthropic');
    expect(text).toContain(REQUEST);
    expect(text).toContain('big.sql');
    expect(tokens).toBeLessThan(32_000);
  });

  it.each(PROFILES)('%s: results of nothing but images', async (profile) => {
    await open('anthropic', profile, 16_000);
    await append(SHAPES.anthropic.request);
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    };
    for (let round = 1; round <= 4; round++) {
      const content = [{ type: 'text', text: `shot ${round}` }, ...Array(12).fill(image)];
      await append(
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: `i${round}`, name: 'browser_take_screenshot', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `i${round}`, content }] },
      );
      const { text, tokens } = await context('anthropic');
      expect(text).toContain(REQUEST);
      expect(text).toContain(`shot ${round}`);
      expect(tokens).toBeLessThan(16_000);
    }
  });

  it('says what was shortened, and gives it back when that is undone', async () => {
    await open('anthropic', 'rawr', 32_000);
    const talk = Array.from({ length: 30 }, (_, n) => ({
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: `${n} ${'some words about the plan '.repeat(100)}`,
    }));
    await append(...talk, SHAPES.anthropic.request);
    await append(...SHAPES.anthropic.exchange('c', 'Bash', log(1, 64_000)));
    const id = api.dispatched.at(-1)?.compaction_id;
    const detail = (await send(api, 'GET', `/sessions/s/compactions/${id}`)).body;
    expect(detail).toMatchObject({
      outcome: 'full_compacted',
      cleared_tool_results: [{ tool_use_id: 'c', kind: 'truncated' }],
    });
    const diff = (await send(api, 'GET', `/sessions/s/compactions/${id}/diff`)).body;
    expect(diff.cleared).toMatchObject([{ tool_use_id: 'c', kind: 'truncated' }]);
    const { before, after, removed, cleared, added } = diff.tokens as Record<string, number>;
    expect(after).toBe(Number(before) - Number(removed) - Number(cleared) + Number(added));
    const original = (await send(api, 'GET', '/sessions/s/tool-results/c')).body;
    expect(original.content).toBe(log(1, 64_000));
    expect((await send(api, 'POST', `/sessions/s/compactions/${id}/revert`)).status).toBe(200);
    expect((await context('anthropic')).text).toContain('1 migration 700 applied');
    expect((await api.deps.store.verify()).problems).toEqual([]);
  });
});
