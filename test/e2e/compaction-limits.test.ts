import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { SessionClient } from './api-client.ts';
import { Speaker, textOf, turns } from './conversation.ts';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.dispose());

const speaker = new Speaker('anthropic');
const create = (id: string, settings: JsonObject, on = service) =>
  SessionClient.create(() => on.url, { id, format: 'anthropic', ...settings });

async function eventTypes(session: SessionClient): Promise<string[]> {
  return (await session.events()).map(({ type }) => type);
}

describe('automatic compaction', () => {
  it('does not fire again on a usage figure from before a compaction', async () => {
    const session = await create('usage', { context_window: 16_000 });
    const reported = speaker.assistantWithUsage('That was a lot.', 15_500);
    const answer = await session.append([...turns(speaker, 't', 4, 500), reported]);
    expect(answer.context.tokens).toBe(15_500);
    const ended = await session.ended(answer.compaction?.id ?? '');
    expect(ended.outcome).toBe('full_compacted');
    for (let round = 0; round < 5; round++) {
      const later = await session.append(turns(speaker, `later${round}`, 1, 100));
      expect(later.compaction).toBeNull();
      expect(later.context.tokens).toBeLessThan(8_000);
    }
    const requests = (await eventTypes(session)).filter((t) => t === 'compaction.requested');
    expect(requests).toHaveLength(1);
  });

  it('stops after three tries when it cannot help; by hand it still runs', async () => {
    const session = await create('floor', {
      context_window: 16_000,
      initial_context: [speaker.user(textOf('rules', 12_000))],
    });
    const outcomes: unknown[] = [];
    let answer = await session.append(turns(speaker, 't0', 1, 200));
    for (let round = 1; answer.compaction !== null; round++) {
      outcomes.push((await session.ended(answer.compaction.id)).outcome);
      answer = await session.append(turns(speaker, `t${round}`, 1, 200));
    }
    expect(outcomes).toEqual(['skipped', 'skipped', 'skipped']);
    expect(answer.context.is_above_auto_compact).toBe(true);
    const events = await session.events();
    const skipped = events.filter(({ type }) => type === 'compaction.skipped');
    expect(skipped.map(({ data }) => data.reason)).toEqual(Array(3).fill('irreducible_floor'));
    expect(skipped[0]?.data.contributors).toContainEqual({
      what: 'initial context',
      tokens: 12_000,
    });
    expect(events.filter(({ type }) => type === 'breaker.opened')).toHaveLength(1);
    const before = await session.context();
    expect(await session.compact({ mode: 'full' })).toMatchObject({ outcome: 'skipped' });
    expect((await session.context()).items).toEqual(before.items);
  });

  it('is off when the session says so', async () => {
    const session = await create('off', {
      context_window: 16_000,
      config: { auto_compact_enabled: false },
    });
    const answer = await session.append(turns(speaker, 't', 7, 1_000));
    expect(answer.compaction).toBeNull();
    expect(answer.context).toMatchObject({ limit: 16_000, is_above_auto_compact: false });
    expect(await session.compact({ mode: 'full' })).toMatchObject({ outcome: 'full_compacted' });
  });
});

describe('profiles', () => {
  it('claude-code summarises everything and says so in its own words', async () => {
    const session = await create('claude', { profile: 'claude-code', context_window: 40_000 });
    const answer = await session.append(turns(speaker, 't', 11, 1_000));
    expect(answer.context).toMatchObject({ limit: 27_000, is_above_auto_compact: true });
    await session.ended(answer.compaction?.id ?? '');
    const { items } = await session.context();
    expect(items).toHaveLength(1);
    const text = JSON.stringify(items[0]);
    expect(text).toContain(
      'This session is being continued from a previous conversation that ran out of context. ' +
        'The conversation is summarized below:\\n',
    );
    expect(text).toContain('.\\nPlease continue the conversation from where we left it off');
  });

  it('codex-v2 keeps the user messages as they were and does not escalate', async () => {
    const session = await create('codex', {
      profile: 'codex-v2',
      context_window: 40_000,
      config: { micro_compact_min_tokens_to_save: 1_000 },
    });
    const reads = Array.from({ length: 5 }, (_, i) =>
      speaker.toolRound(`c${i}`, 'shell', { command: `cat f${i}` }, textOf(`f${i}`, 1_000)),
    ).flat();
    const asked = speaker.user('Please keep THESE VERY WORDS.');
    const answer = await session.append([asked, ...reads, ...turns(speaker, 't', 8, 1_200)]);
    const micro = await session.ended(answer.compaction?.id ?? '');
    expect(micro.outcome).toBe('micro_compacted');
    expect((await session.context()).tokens).toBeGreaterThan(27_000);
    expect(await session.compact({ mode: 'full' })).toMatchObject({ outcome: 'full_compacted' });
    const events = await session.events();
    const entries = events.find(({ type }) => type === 'compaction.completed')?.data.entries;
    expect(entries).toContainEqual(expect.objectContaining({ item: asked, origin: 'preserved' }));
  });

  it('refuses a window that has no room for the figures of the profile', async () => {
    const refused = await create('narrow', { profile: 'claude-code', context_window: 16_000 }).then(
      () => null,
      (error: unknown) => String(error),
    );
    expect(refused).toMatch(/got 4\d\d/);
    expect(refused).toContain('free_space_buffer 13000');
  });
});

describe('DISABLE_COMPACT', () => {
  it('switches all compaction off and says so', async () => {
    const off = await startService({ DISABLE_COMPACT: '1' });
    try {
      const session = await create('disabled', { context_window: 16_000 }, off);
      const answer = await session.append(turns(speaker, 't', 8, 1_000));
      expect(answer.compaction).toBeNull();
      const refused = await session.request('POST', '/compact', { body: {} });
      expect(refused.status).toBe(409);
      expect(JSON.stringify(refused.body)).toContain('DISABLE_COMPACT');
      expect(await eventTypes(session)).not.toContain('compaction.requested');
    } finally {
      await off.dispose();
    }
  });
});
