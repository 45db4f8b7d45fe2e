import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { PROFILES } from '../../../src/domain/policy/profiles.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';
import { midTurn, pureAt, turnEnd } from './lab.ts';

/** What is appended until the context counts so many tokens asks for. */
function fill(session: PureSession, tokens: number) {
  return session.append(user(ofTokens(tokens - session.head.state.tokens))).value.compaction;
}

describe('the feature flag', () => {
  it.each(PROFILES)('RW-05, RW-07: of profile %s it is on in rawr only', (profile) => {
    const session = new PureSession({}, profile);
    session.signal('turn_started');
    session.append(assistant(ofTokens(40_000)));
    session.signal('commit');
    expect(midTurn(session)).toEqual(
      profile === 'rawr' ? expect.objectContaining({ path: 'mid_turn' }) : null,
    );
  });

  it('RW-05: switched off, the middle of a turn asks for nothing, the token limit does', () => {
    const session = pureAt(60, ['commit'], { auto_compact_trigger: 'threshold' });
    expect(midTurn(session)).toBeNull();
    expect(fill(session, 84_999)).toBeNull();
    expect(fill(session, 85_000)).toMatchObject({ reason: 'token_limit', trigger: 'auto' });
  });

  it('RW-07: switched off, the end of a turn is recorded, and that is all', () => {
    const session = pureAt(10, ['commit'], { auto_compact_trigger: 'limit' });
    const { events, value } = session.signal('turn_complete');
    expect(events.map(({ type }) => type)).toEqual(['signal.observed']);
    expect(value).toMatchObject({ compaction: null, advice: null });
  });

  it.each<[boolean, ConfigOverrides]>([
    [true, {}],
    [false, { auto_compact_trigger: 'threshold' }],
    [false, { auto_compact_trigger: 'limit' }],
    [false, { auto_compact_enabled: false }],
    [false, { enabled: false }],
  ])('RW-08: both ways are %s with %j', (isOn, config) => {
    expect(midTurn(pureAt(60, ['commit'], config)) !== null).toBe(isOn);
    expect(turnEnd(pureAt(60, ['commit'], config)) !== null).toBe(isOn);
  });

  it('RW-127: a turn that has begun listens to a flag that is switched over', () => {
    const session = pureAt(60, ['commit']);
    const off = { auto_compact_trigger: 'threshold' } as const;
    session.push({ type: 'session.configured', data: { config: off } });
    expect(midTurn(session)).toBeNull();
    const on = { auto_compact_trigger: 'tiers' } as const;
    session.push({ type: 'session.configured', data: { config: on } });
    expect(midTurn(session)).toMatchObject({ path: 'mid_turn' });
  });
});

describe('the token limit, while the flag is on', () => {
  it.each(['turn_started', 'sampling_complete', 'turn_complete'] as const)(
    'RW-06: rests once %s was posted, up to the window itself',
    (signal) => {
      const session = new PureSession();
      session.signal(signal);
      expect(fill(session, 85_000)).toBeNull();
      expect(fill(session, 99_999)).toBeNull();
      expect(fill(session, 100_000)).toMatchObject({ reason: 'token_limit' });
    },
  );

  it('RW-06: holds at the emergency line for a client that posts none of them', () => {
    const session = new PureSession();
    expect(fill(session, 84_999)).toBeNull();
    expect(fill(session, 85_000)).toMatchObject({ reason: 'token_limit' });
  });

  it('RW-06: without the flag it does not wait for another model call', () => {
    const session = new PureSession({ auto_compact_trigger: 'threshold' });
    session.signal('sampling_complete', { needs_follow_up: false });
    expect(fill(session, 85_000)).toMatchObject({ reason: 'token_limit' });
  });
});
