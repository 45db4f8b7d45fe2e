import { describe, expect, it, test } from 'vitest';
import { BOUNDARIES } from '../../../src/domain/policy/boundaries.ts';
import { type ObserveSignal, observeSignal } from '../../../src/domain/session/observe-signal.ts';
import { AT, created, given, NOW, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { PACKET_PROMPT, PureSession } from '../../support/pure-session.ts';

function observe(command: Pick<ObserveSignal, 'signal'> & Partial<ObserveSignal>) {
  return observeSignal(WORLD, {
    compaction_id: 'next',
    packet_prompt: PACKET_PROMPT,
    now_ms: NOW,
    at: AT,
    ...command,
  });
}

const rawr = created({ profile: 'rawr' });

describe('observeSignal', () => {
  test.each([...BOUNDARIES, 'turn_started', 'sampling_complete'] as const)(
    'records %s as posted',
    (signal) => {
      given(rawr)
        .when(observe({ signal }))
        .yields({ type: 'signal.observed', data: { signal, source: 'posted', seq: null } });
    },
  );

  it('records what the client adds, and nothing that it leaves out', () => {
    const fields = {
      needs_follow_up: false,
      queued_user_messages: 2,
      review_mode: true,
      completed_steps: 3,
    };
    given(rawr)
      .when(observe({ signal: 'turn_complete', ...fields }))
      .yields({
        type: 'signal.observed',
        data: { signal: 'turn_complete', source: 'posted', seq: null, ...fields },
      });
  });

  it('answers what counts now and where the context stands', () => {
    given(rawr)
      .when(observe({ signal: 'commit' }))
      .answers({
        version: 2,
        signals: ['commit'],
        tier: null,
        percent_remaining_of_window: 100,
        context: {
          tokens: 0,
          limit: 170_000,
          percent_remaining: 100,
          is_above_warning: false,
          is_above_error: false,
          is_above_auto_compact: false,
        },
        compaction: null,
        advice: null,
        packet: null,
        preflight_armed: false,
      });
  });

  it('answers the percentage of the window, and that of the limit', () => {
    const session = new PureSession();
    session.fillTo(30);
    expect(session.signal('commit').value).toMatchObject({
      tier: 'asap',
      percent_remaining_of_window: 30,
      context: { limit: 85_000, percent_remaining: 17 },
    });
  });

  it('answers the compaction that follows', () => {
    const session = new PureSession();
    session.fillTo(60);
    session.signal('commit');
    expect(session.signal('sampling_complete', { needs_follow_up: true }).value).toMatchObject({
      version: 5,
      signals: [],
      compaction: {
        id: 'c3',
        status: 'queued',
        mode: 'auto',
        trigger: 'auto',
        reason: 'mid_turn',
      },
    });
  });

  it('records signals of profiles without tiers, and decides nothing', () => {
    const session = new PureSession({}, 'codex-v2');
    session.fillTo(20);
    session.signal('commit');
    const { events, value } = session.signal('turn_complete');
    expect(events).toHaveLength(1);
    expect(value).toMatchObject({ signals: ['commit', 'turn_complete'], compaction: null });
  });

  it('clears what counts when a turn begins', () => {
    const session = new PureSession();
    session.signal('commit');
    session.signal('turn_complete');
    expect(session.signal('turn_started').value.signals).toEqual([]);
  });

  it('keeps a boundary once', () => {
    const session = new PureSession();
    session.signal('commit');
    session.signal('agent_done');
    expect(session.signal('commit').value.signals).toEqual(['commit', 'agent_done']);
  });

  it('takes the steps of the plan', () => {
    const session = new PureSession();
    session.signal('plan_checkpoint', { completed_steps: 4 });
    expect(session.head.state.completed_steps).toBe(4);
  });

  it('uses up the boundaries that a compaction rests on', () => {
    const session = new PureSession();
    session.fillTo(60);
    session.signal('commit');
    session.signal('sampling_complete', { needs_follow_up: true });
    session.complete(40_000 - 1);
    session.append(assistant(ofTokens(5_000)));
    const { value } = session.signal('sampling_complete', { needs_follow_up: true });
    expect(value).toMatchObject({ tier: 'asap', signals: [], compaction: null });
  });

  it('ends the wait for a packet that is overdue', () => {
    const session = new PureSession({ packet_author: 'agent' });
    session.fillTo(60);
    session.signal('commit');
    const { value } = session.signal('turn_complete');
    session.nowMs = value.packet?.deadline_ms ?? 0;
    const { events, value: later } = session.signal('turn_started');
    expect(events.map(({ type }) => type)).toEqual([
      'signal.observed',
      'packet.received',
      'compaction.requested',
    ]);
    expect(later).toMatchObject({ packet: null, compaction: { reason: 'turn_complete' } });
  });

  it('refuses a session that does not exist', () => {
    given()
      .when(observe({ signal: 'commit' }))
      .rejects('session_not_found', /session/);
  });
});

describe('appends of a session whose client posts signals', () => {
  const ABOVE_THRESHOLD = user(ofTokens(90_000));

  it.each(['turn_started', 'sampling_complete', 'turn_complete'] as const)(
    'compact no longer by themselves after %s',
    (signal) => {
      const session = new PureSession();
      session.signal(signal);
      expect(session.append(ABOVE_THRESHOLD).value.compaction).toBeNull();
    },
  );

  it('do so where nothing is left of the window', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.append(ABOVE_THRESHOLD);
    expect(session.append(user(ofTokens(9_999))).value.compaction).toBeNull();
    expect(session.append(user(ofTokens(1))).value.compaction).toMatchObject({
      reason: 'token_limit',
    });
  });

  it('go on to compact when no life cycle is posted', () => {
    const session = new PureSession();
    session.signal('commit');
    expect(session.append(ABOVE_THRESHOLD).value.compaction).not.toBeNull();
  });
});
