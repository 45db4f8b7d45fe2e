import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { type RolloutRecord, rolloutWriter } from '../../../src/domain/session/rollout.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact } from '../lab.ts';
import { atTurnEnd, signal, work } from './lab.ts';

async function rollout(lab: SessionLab): Promise<RolloutRecord[]> {
  return (await lab.events()).flatMap(rolloutWriter('lab'));
}

/** What the newest record of a compaction says of its cause. */
async function triggerOf(lab: SessionLab): Promise<unknown> {
  const record = (await rollout(lab)).findLast(({ type }) => type === 'compacted');
  return record?.payload.trigger;
}

const WATCHED = { tier: 'asap', percent_remaining: 60 };

describe('the cause in the audit trail', () => {
  it.each<[string, ConfigOverrides, (lab: SessionLab) => Promise<unknown>, JsonObject]>([
    [
      'RW-22, RW-92, RW-107',
      {},
      (lab) => signal(lab, 'sampling_complete', { needs_follow_up: true }),
      { type: 'auto_watcher', path: 'mid_turn', ...WATCHED, boundaries: ['agent_done'] },
    ],
    [
      'RW-65, RW-92, RW-107',
      {},
      (lab) => signal(lab, 'turn_complete'),
      { type: 'auto_watcher', path: 'turn_complete', ...WATCHED, boundaries: ['agent_done'] },
    ],
    [
      'RW-92, RW-107',
      { auto_requires_any_boundary: ['turn_complete'] },
      async (lab) => {
        await signal(lab, 'turn_complete');
        return append(lab, user('Go on.'));
      },
      { type: 'auto_watcher', path: 'preflight', ...WATCHED, boundaries: ['turn_complete'] },
    ],
    [
      'RW-92, RW-107',
      { auto_compact_trigger: 'threshold', auto_compact_threshold: 50_000 },
      (lab) => append(lab, assistant(ofTokens(11_000))),
      { type: 'auto', path: 'append', tier: null, percent_remaining: null, boundaries: [] },
    ],
    [
      'RW-92, RW-107',
      {},
      (lab) => lab.request('full'),
      { type: 'manual', path: 'request', tier: null, percent_remaining: null, boundaries: [] },
    ],
  ])('%s: with %j it is told by its path', async (_ids, config, trigger, expected) => {
    const lab = await atTurnEnd(config);
    await trigger(lab);
    await work(lab);
    expect(await triggerOf(lab)).toEqual(expected);
  });

  it('RW-101: it is used once: the next compaction has its own', async () => {
    const lab = await atTurnEnd();
    await signal(lab, 'sampling_complete', { needs_follow_up: true });
    await work(lab);
    await append(lab, assistant(ofTokens(3_000)));
    await compact(lab, 'full');
    expect(await triggerOf(lab)).toMatchObject({ type: 'manual', path: 'request' });
    const all = (await rollout(lab)).filter(({ type }) => type === 'compacted');
    expect(all.map(({ payload }) => payload.trigger)).toMatchObject([
      { type: 'auto_watcher', path: 'mid_turn' },
      { type: 'manual' },
    ]);
  });

  it('RW-69: the end is told after it, before the packet', async () => {
    const lab = await atTurnEnd();
    await signal(lab, 'turn_complete');
    await work(lab);
    const records = (await rollout(lab)).slice(-4);
    expect(records.map(({ type, payload }) => payload.type ?? type)).toEqual([
      'compacted',
      'ContextCompacted',
      'CompactCompleted',
      'response_item',
    ]);
    expect(records.at(-1)?.payload).toMatchObject({ role: 'user', is_meta: true });
  });
});
