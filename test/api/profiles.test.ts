import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROFILES, profileConfig } from '../../src/domain/policy/profiles.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';

const SERVER = { micro_compact_keep_last_n_tools: 9 };

let api: ApiServer;
beforeAll(async () => {
  api = await startApi({ world: { server: SERVER, tokenizers: {} } });
});
afterAll(() => api.close());

describe('GET /profiles', () => {
  it('has every profile with its whole configuration, under the overrides of the server', async () => {
    const { status, body } = await send(api, 'GET', '/profiles');
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.data).toEqual(
      PROFILES.map((name) => ({
        name,
        description: expect.stringMatching(/^For /),
        context_window: 200_000,
        config: { ...profileConfig(name, 200_000), ...SERVER },
        problem: null,
      })),
    );
  });

  it('says what a session with the profile gets', async () => {
    const { body } = await send(api, 'GET', '/profiles?context_window=150000');
    const [, profile] = body.data as { name: string; config: object }[];
    const created = await send(api, 'POST', '/sessions', {
      body: { profile: 'claude-code', context_window: 150_000 },
    });
    expect(profile).toMatchObject({ name: 'claude-code', config: created.body.config });
  });

  it('says which profiles have no room in a small window, and why', async () => {
    const { body } = await send(api, 'GET', '/profiles?context_window=16000');
    const rows = body.data as { name: string; problem: string | null }[];
    const fitting = rows.filter(({ problem }) => problem === null).map(({ name }) => name);
    expect(fitting).toEqual(['default', 'tiered']);
    expect(rows.find(({ name }) => name === 'codex-v2')?.problem).toMatch(
      /a context_window of 16000 tokens leaves no room for free_space_buffer 13000/,
    );
  });

  it('refuses a window that is none', async () => {
    const { status, body } = await send(api, 'GET', '/profiles?context_window=0');
    expect(status).toBe(400);
    expect(JSON.stringify(body.errors)).toContain('must be a whole number from 1 to 100000000');
  });
});
