import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readSettings } from '../../src/config.ts';
import { PROFILES } from '../../src/domain/policy/profiles.ts';
import { startService } from '../../src/service.ts';

const FIELDS = ['summarizer_timeout_seconds', 'summarizer_max_attempts'] as const;
const figures = z.object({
  config: z.looseObject({
    summarizer_timeout_seconds: z.number(),
    summarizer_max_attempts: z.number(),
  }),
});

describe('I7: how long and how often a session may have a model asked has a ceiling', () => {
  let folder: string;
  let service: Awaited<ReturnType<typeof startService>> | null;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-i7-'));
    service = null;
  });
  afterEach(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  /** What is in force in a session that is made with `config`, then given it by PATCH. */
  async function inForce(variables: object, profile: string, config: object) {
    const environment = {
      DATABASE_URL: `file:${join(folder, 'test.db')}`,
      LOG_LEVEL: 'silent',
      ...variables,
    };
    service ??= await startService(readSettings(environment), environment);
    const { fetch } = service;
    const send = (method: string, path: string, body?: object) =>
      fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
    const found: unknown[] = [];
    for (const when of ['made', 'patched']) {
      const id = `${profile}-${when}-${JSON.stringify(config).length}`;
      const first = when === 'made' ? { config } : {};
      expect((await send('POST', '/sessions', { id, profile, ...first })).status).toBe(201);
      if (when === 'patched') {
        expect((await send('PATCH', `/sessions/${id}`, { config })).status).toBe(200);
      }
      const session = figures.parse(await (await send('GET', `/sessions/${id}`)).json());
      found.push(FIELDS.map((field) => session.config[field]));
    }
    expect(found[1]).toEqual(found[0]);
    return found[0];
  }

  const MOST = { summarizer_timeout_seconds: 3600, summarizer_max_attempts: 10 };
  const LEAST = { summarizer_timeout_seconds: 0.5, summarizer_max_attempts: 1 };

  it.each(PROFILES)('%s: the figures of the operator are the highest', async (profile) => {
    const variables = {
      PALIMPSEST_SUMMARIZER_TIMEOUT_SECONDS: '30',
      PALIMPSEST_SUMMARIZER_MAX_ATTEMPTS: '2',
    };
    expect(await inForce(variables, profile, MOST)).toEqual([30, 2]);
    expect(await inForce(variables, profile, LEAST)).toEqual([0.5, 1]);
  });

  it.each(PROFILES)('%s: there are ceilings where the operator sets nothing', async (profile) => {
    expect(await inForce({}, profile, MOST)).toEqual([300, 5]);
    expect(await inForce({}, profile, LEAST)).toEqual([0.5, 1]);
  });

  it('an operator may allow more, as before (control)', async () => {
    const variables = {
      PALIMPSEST_SUMMARIZER_TIMEOUT_SECONDS: '3600',
      PALIMPSEST_SUMMARIZER_MAX_ATTEMPTS: '10',
    };
    expect(await inForce(variables, 'default', MOST)).toEqual([3600, 10]);
  });
});
