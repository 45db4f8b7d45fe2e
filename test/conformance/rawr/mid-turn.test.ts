import { afterEach, describe, expect, it } from 'vitest';
import type { Boundary, Tier } from '../../../src/domain/policy/boundaries.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';
import { atTurnEnd, midTurn, packetsOf, pureAt, signal, turnEnd, work } from './lab.ts';

const AT_END: Boundary[] = ['pr_checkpoint', 'topic_shift'];
const SAID: Boundary[] = ['agent_done', 'concluding_thought'];
const PLAN: Boundary[] = ['plan_checkpoint', 'plan_update'];
const POSTED: Boundary[] = [...PLAN, ...AT_END, 'commit', ...SAID];

describe('Core mid-turn compaction', () => {
  it('RW-10, RW-125: it and the watcher are independent, and both fire in one session', () => {
    const session = pureAt(60, ['commit']);
    expect(midTurn(session)).toMatchObject({ path: 'mid_turn' });
    session.complete(5_000);
    session.fillTo(60);
    session.signal('commit');
    expect(turnEnd(session)).toMatchObject({ attribution: { path: 'turn_complete' } });
  });

  it('RW-11: needs_follow_up and the last text of the agent decide, after each model call', () => {
    const session = pureAt(60);
    expect(midTurn(session)).toBeNull();
    session.append(assistant('It is done.'));
    expect(midTurn(session)).toMatchObject({ boundaries: ['agent_done'] });
  });

  it.each([{ needs_follow_up: false }, {}])(
    'RW-14, RW-125: %j decides nothing, however full it is',
    (fields) => {
      const session = pureAt(5, ['commit']);
      const { events } = session.signal('sampling_complete', fields);
      expect(events.map(({ type }) => type)).toEqual(['signal.observed']);
    },
  );

  it('RW-15: the percentage is that of the window, by the usage that was reported', () => {
    const session = new PureSession();
    const usage = { input_tokens: 49_000, output_tokens: 1_000 };
    session.append(user('Go.'), assistant('Here.', { usage }));
    const { value } = session.signal('sampling_complete');
    expect(value.percent_remaining_of_window).toBe(50);
    // Of the threshold, which is where the automatic compaction stands, less is left.
    expect(value.context).toMatchObject({ tokens: 50_000, limit: 85_000, percent_remaining: 41 });
  });

  it('RW-15: it is rounded down', () => {
    const session = new PureSession();
    session.append(user(ofTokens(25_001)));
    expect(session.signal('commit').value.percent_remaining_of_window).toBe(74);
  });

  it.each<[number, Tier | null, Boundary[]]>([
    [85, null, []],
    [84, 'early', AT_END],
    [75, 'early', AT_END],
    [74, 'ready', [...AT_END, 'commit']],
    [65, 'ready', [...AT_END, 'commit']],
    [64, 'asap', POSTED],
    [15, 'asap', POSTED],
    [14, 'emergency', POSTED],
  ])(
    'RW-18, RW-19: with %i percent left the tier is %s, and takes %j',
    (percent, tier, expected) => {
      const taken = POSTED.filter((boundary) => {
        const attribution = midTurn(pureAt(percent, [boundary]));
        if (attribution === null) return false;
        expect(attribution).toEqual({
          path: 'mid_turn',
          tier,
          percent_remaining: percent,
          boundaries: [boundary],
        });
        return true;
      });
      expect([...taken].sort()).toEqual([...expected].sort());
    },
  );

  it('RW-18: the lines are those of the configuration', () => {
    const config = { trigger_early_percent_remaining_lt: 50 };
    const deeper = { ...config, trigger_ready_percent_remaining_lt: 40 };
    expect(pureAt(80, [], config).signal('commit').value.tier).toBeNull();
    expect(pureAt(45, [], deeper).signal('commit').value.tier).toBe('asap');
    const lines = { ...deeper, trigger_asap_percent_remaining_lt: 30 };
    expect(pureAt(45, [], lines).signal('commit').value.tier).toBe('early');
    expect(pureAt(35, [], lines).signal('commit').value.tier).toBe('ready');
    expect(midTurn(pureAt(20, [], { trigger_emergency_percent_remaining_lt: 21 }))).toMatchObject({
      tier: 'emergency',
    });
  });

  it.each([80, 70])('RW-19: with %i percent left a plan boundary needs company', (percent) => {
    expect(midTurn(pureAt(percent, PLAN))).toBeNull();
    for (const company of SAID) {
      expect(midTurn(pureAt(percent, ['plan_update', company]))).toMatchObject({
        boundaries: ['plan_update'],
      });
    }
    expect(midTurn(pureAt(percent, ['plan_update', 'commit']))).not.toBeNull();
  });

  it('RW-16: the required boundaries are [] unless configured: the sets of the tiers', () => {
    expect(new PureSession().config.auto_requires_any_boundary).toEqual([]);
    expect(midTurn(pureAt(80, ['topic_shift']))).toMatchObject({ tier: 'early' });
  });

  it.each([80, 70, 60])(
    'RW-16, RW-19: configured, they replace the set with %i percent left',
    (percent) => {
      const config = { auto_requires_any_boundary: ['agent_done', 'commit'] as Boundary[] };
      for (const boundary of POSTED) {
        const isRequired = config.auto_requires_any_boundary.includes(boundary);
        expect(midTurn(pureAt(percent, [boundary], config)) !== null).toBe(isRequired);
      }
    },
  );

  it('RW-20: an emergency needs no boundary, required ones neither', () => {
    expect(midTurn(pureAt(15))).toBeNull();
    expect(midTurn(pureAt(14))).toMatchObject({ tier: 'emergency', boundaries: [] });
    const config = { auto_requires_any_boundary: ['commit'] as Boundary[] };
    expect(midTurn(pureAt(14, [], config))).toMatchObject({ tier: 'emergency' });
  });

  it.each(SAID)('RW-21: asap takes %s, ready does not', (boundary) => {
    expect(midTurn(pureAt(65, [boundary]))).toBeNull();
    expect(midTurn(pureAt(64, [boundary]))).toMatchObject({ tier: 'asap' });
  });

  it.each(['tag', 'suggest', 'auto'] as const)(
    'RW-25: mode %s is not looked at',
    (auto_compact_mode) => {
      const session = pureAt(60, ['commit'], { auto_compact_mode });
      const { value } = session.signal('sampling_complete', { needs_follow_up: true });
      expect(value).toMatchObject({ advice: null, compaction: { reason: 'mid_turn' } });
    },
  );

  it.each(['watcher', 'agent', 'none'] as const)(
    'RW-24: no packet with packet_author %s',
    async (packet_author) => {
      const lab = await atTurnEnd({ packet_author });
      const { compaction, packet } = await signal(lab, 'sampling_complete', {
        needs_follow_up: true,
      });
      expect(compaction).toMatchObject({ reason: 'mid_turn' });
      expect(packet).toBeNull();
      await work(lab);
      expect(await packetsOf(lab)).toEqual([]);
      expect((await lab.events()).map(({ type }) => type)).not.toContain('packet.requested');
    },
  );
});

describe('compact, then go on with the turn', () => {
  let api: ApiServer;
  afterEach(() => api.close());

  it('RW-23: the answer has the compaction, the context waits for it, the turn goes on', async () => {
    api = await startApi();
    const config = { token_safety_multiplier: 1 };
    const body = { id: 's', profile: 'rawr', context_window: 100_000, config };
    await send(api, 'POST', '/sessions', { body });
    const post = (signal: object) => send(api, 'POST', '/sessions/s/signals', { body: signal });
    await post({ signal: 'turn_started' });
    const items = [user('Fix the parser.'), assistant(`It is done. ${ofTokens(40_000)}`)];
    await send(api, 'POST', '/sessions/s/items', { body: items });
    const sampled = { signal: 'sampling_complete', needs_follow_up: true };
    const answer = await post(sampled);
    expect(answer.status).toBe(200);
    expect(answer.body.compaction).toMatchObject({ status: 'queued', reason: 'mid_turn' });
    const waiting = send(api, 'GET', '/sessions/s/context?wait=compaction');
    await api.work(api.dispatched.at(-1));
    const context = await waiting;
    expect(context.text).toContain('ran out of context');
    expect(context.body.tokens).toBeLessThan(35_000);
    const next = await send(api, 'POST', '/sessions/s/items', { body: assistant('Tests next.') });
    expect(next.status).toBe(201);
    expect((await post(sampled)).body).toMatchObject({ compaction: null, signals: [] });
  });
});
