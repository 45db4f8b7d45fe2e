import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codecFor, FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { PROFILES, type Profile } from '../../src/domain/policy/profiles.ts';
import { summarizerFromModelName } from '../../src/workers/summarizers/registry.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { configOf, log, REQUEST, SHAPES } from '../support/readings.ts';
import { atScale } from '../support/scale.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';

type Case = { profile: Profile; window: number; format: Format; rounds: number };

/** Each profile with another format, so that three profiles cover all. */
function inTurn(window: number, rounds: number, formats: readonly Format[] = FORMATS): Case[] {
  return PROFILES.map((profile, index) => {
    const format = formats[index % formats.length] ?? 'anthropic';
    return { profile, window, format, rounds };
  });
}

const OPENAI: Format[] = ['openai-chat', 'openai-responses'];
const LONG_ROUNDS = atScale({ brief: 4, short: 20, long: 20 });

describe('A6: results that are larger than what the window can carry', () => {
  let api: ApiServer;
  let model: ScriptedModelServer;
  const limits = {
    body_bytes: 20_000_000,
    items_per_request: 100,
    json_depth: 64,
    json_values: 1_000_000,
    rate_per_minute_per_key: null,
  };
  beforeAll(async () => {
    model = await ScriptedModelServer.start();
  });
  afterAll(() => model.close());
  afterEach(() => api.close());

  async function open(
    format: Format,
    profile: Profile,
    window: number,
    overrides: ConfigOverrides = {},
  ): Promise<void> {
    const config = { ...configOf(profile, window), ...overrides };
    const body = { id: 's', format, profile, context_window: window, config };
    expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  }

  async function work(from: number): Promise<void> {
    for (let next = from; next < api.dispatched.length; next++)
      await api.work(api.dispatched[next]);
    api.advance(1_000);
  }

  /** Appends, and runs every compaction that this asks for. */
  async function append(...items: Item[]): Promise<void> {
    const done = api.dispatched.length;
    const reply = await send(api, 'POST', '/sessions/s/items', { body: items });
    expect(reply.status, reply.text.slice(0, 300)).toBe(201);
    await work(done);
  }

  async function context(format: Format): Promise<{ text: string; tokens: number }> {
    const { body, text } = await send(api, 'GET', '/sessions/s/context');
    expect(codecFor(format).violations(body.items as Item[])).toEqual([]);
    return { text, tokens: Number(body.tokens) };
  }

  async function expectReading(round: number, { format, window }: Case): Promise<void> {
    const { text, tokens } = await context(format);
    expect(text).toContain(REQUEST);
    expect(text).toContain(`FIRST LINE of reading ${round}`);
    expect(text).toContain(`LAST LINE of reading ${round}`);
    expect(tokens).toBeLessThan(window * 0.95);
  }

  async function outcomes(): Promise<string[]> {
    const { body } = await send(api, 'GET', '/sessions/s/compactions?limit=100');
    return (body.data as { outcome: string }[]).map(({ outcome }) => outcome);
  }

  async function summaries(): Promise<number> {
    const { body } = await send(api, 'GET', '/sessions/s');
    return (body.counts as { compactions: { full: number } }).compactions.full;
  }

  /** Readings larger than the window; some are answered, others followed by the next call at once. */
  async function readings(tried: Case, calls: () => Promise<number>): Promise<void> {
    const { profile, window, format, rounds } = tried;
    await open(format, profile, window);
    const { request, exchange, answer } = SHAPES[format];
    await append(request);
    for (let round = 1; round <= rounds; round++) {
      const before = await calls();
      const name = round % 2 === 0 ? 'mcp__logs__read' : 'Bash';
      await append(...exchange(`call_${round}`, name, log(round, window * 4)));
      await expectReading(round, tried);
      if (round % 3 !== 0) {
        await append(answer(`Reading ${round} drops no column.`));
        await expectReading(round, tried);
      }
      const made = (await calls()) - before;
      expect(made).toBeLessThanOrEqual(profile === 'tiered' ? 0 : 1);
    }
    const ended = await outcomes();
    expect(ended).not.toContain('failed');
    expect(ended).not.toContain('skipped');
  }

  describe('in other windows', () => {
    beforeEach(async () => {
      api = await startApi({ limits });
    });

    it.each([...inTurn(100_000, 8), ...inTurn(1_000_000, 2)])(
      '$profile, $window tokens, $format: $rounds readings',
      (tried) => readings(tried, summaries),
    );
  });

  describe('where a model writes the summaries', () => {
    beforeEach(async () => {
      const environment = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: model.openaiUrl };
      const summarizer = summarizerFromModelName('openai/gpt-4o-mini', environment);
      api = await startApi({ limits }, summarizer);
    });

    it.each([
      ...OPENAI.flatMap((format) => inTurn(32_000, LONG_ROUNDS, [format])),
      ...inTurn(200_000, LONG_ROUNDS, OPENAI),
    ])('$profile, $window tokens, $format: $rounds readings', (tried) =>
      readings(tried, async () => model.requests.length),
    );
  });

  describe('when somebody asks for the compaction', () => {
    beforeEach(async () => {
      api = await startApi({ limits });
    });

    async function compact(): Promise<void> {
      const done = api.dispatched.length;
      const reply = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
      expect(reply.status, reply.text).toBeLessThan(300);
      await work(done);
      expect((await outcomes())[0]).toBe('full_compacted');
    }

    const talk = (format: Format): Item[] =>
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0
          ? codecFor(format).message('user', `${n} ${'some words about the plan '.repeat(150)}`)
          : SHAPES[format].answer(`${n} ${'so it is written '.repeat(150)}`),
      );

    it.each(
      inTurn(100_000, 1).flatMap((tried) => [
        { ...tried, isRead: false, characters: 400, stays: false },
        { ...tried, isRead: false, characters: 60_000, stays: true },
        { ...tried, isRead: true, characters: 60_000, stays: false },
      ]),
    )(
      '$profile, $format: of a result of $characters characters, read: $isRead, all stays: $stays',
      async ({ profile, window, format, isRead, characters, stays }) => {
        const unprotected = { protected_messages: null, protected_tokens: null };
        await open(format, profile, window, unprotected);
        await append(...talk(format), SHAPES[format].request);
        await append(...SHAPES[format].exchange('c1', 'mcp__logs__read', log(1, characters)));
        if (isRead) await append(SHAPES[format].answer('No column is dropped there.'));
        await compact();
        const { text } = await context(format);
        expect(text).toContain(REQUEST);
        expect(text.includes('LAST LINE of reading 1')).toBe(stays);
      },
    );
  });
});
