import { afterEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { ofTokens, user } from '../../support/items.ts';

let api: ApiServer;
afterEach(() => api.close());

/** A server with these variables; a session of profile `claude-code` on it, with a small window. */
async function serve(
  environment: Record<string, string> = {},
  config = {},
  context_window = 50_000,
): Promise<void> {
  const server = readSettings(environment).overrides;
  api = await startApi({ world: { server, tokenizers: {} } });
  const body = { id: 's', profile: 'claude-code', context_window, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
}

/** Appends so many tokens, the margin included. */
function fill(tokens: number) {
  return send(api, 'POST', '/sessions/s/items', {
    body: user(ofTokens(Math.ceil((tokens * 3) / 4))),
  });
}

describe('environment variables', () => {
  it.each(['1', 'true', 'TRUE', 'yes', 'on'])(
    'CC-60, CC-61, CC-200: DISABLE_COMPACT=%s switches every compaction off',
    async (DISABLE_COMPACT) => {
      await serve({ DISABLE_COMPACT }, { enabled: true });
      const { body } = await fill(37_000);
      expect(body.compaction).toBeNull();
      expect(body.context).toMatchObject({ is_above_auto_compact: false });
      const reply = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
      expect(reply.status).toBe(409);
      expect(reply.body.type).toBe('urn:palimpsest:problem:compaction-disabled');
      const events = await send(api, 'GET', '/sessions/s/events');
      expect(events.text).not.toContain('compaction.requested');
    },
  );

  it.each(['0', 'false', 'no', ''])(
    'CC-61: DISABLE_COMPACT=%j does not',
    async (DISABLE_COMPACT) => {
      await serve({ DISABLE_COMPACT });
      expect((await fill(37_000)).body.compaction).toMatchObject({ trigger: 'auto' });
    },
  );

  it('CC-201: AUTOCOMPACT_PCT_OVERRIDE=80 compacts at 160,000', async () => {
    await serve({ AUTOCOMPACT_PCT_OVERRIDE: '80' }, {}, 200_000);
    expect((await fill(159_996)).body.context).toMatchObject({
      limit: 160_000,
      is_above_auto_compact: false,
    });
    expect((await fill(4)).body.compaction).toMatchObject({ trigger: 'auto' });
  });

  it.each<[Record<string, string>, number]>([
    [{ CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '80' }, 160_000],
    [{ CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '80', AUTOCOMPACT_PCT_OVERRIDE: '50' }, 100_000],
  ])('CC-201: %j compacts at %i', async (environment, limit) => {
    await serve(environment, {}, 200_000);
    expect((await fill(1_000)).body.context).toMatchObject({ limit });
  });

  it.each(['abc', '0', '-5', '101', '80%'])(
    'CC-24: AUTOCOMPACT_PCT_OVERRIDE=%s is refused, not ignored',
    async (AUTOCOMPACT_PCT_OVERRIDE) => {
      expect(() => readSettings({ AUTOCOMPACT_PCT_OVERRIDE })).toThrow(
        /^AUTOCOMPACT_PCT_OVERRIDE: /,
      );
      await serve();
      for (const auto_compact_pct_override of [AUTOCOMPACT_PCT_OVERRIDE, 0, 101]) {
        const body = { config: { auto_compact_pct_override } };
        const reply = await send(api, 'PATCH', '/sessions/s', { body });
        expect(reply.status).toBe(400);
        expect(reply.text).toContain('auto_compact_pct_override');
      }
    },
  );

  it('CC-202: PALIMPSEST_MICRO_COMPACT_ENABLED=false switches micro-compaction alone off', async () => {
    await serve({ PALIMPSEST_MICRO_COMPACT_ENABLED: 'false' });
    const { body } = await send(api, 'GET', '/sessions/s');
    expect(body.config).toMatchObject({ micro_compact_enabled: false, enabled: true });
    expect((await fill(37_000)).body.compaction).toMatchObject({ mode: 'auto' });
  });
});

describe('settings', () => {
  it('CC-33: automatic compaction switched off leaves compactions by hand', async () => {
    await serve({}, { auto_compact_enabled: false });
    expect((await fill(37_000)).body.compaction).toBeNull();
    const body = { mode: 'full' };
    expect((await send(api, 'POST', '/sessions/s/compact', { body })).status).toBe(202);
  });

  it('CC-33, CC-96: both are on by default', async () => {
    await serve();
    const { body } = await send(api, 'GET', '/sessions/s');
    expect(body.config).toMatchObject({ auto_compact_enabled: true, micro_compact_enabled: true });
  });
});
