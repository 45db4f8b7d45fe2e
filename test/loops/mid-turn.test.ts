import { describe, expect, it } from 'vitest';
import { assistant, ofTokens } from '../support/items.ts';
import { PureSession } from '../support/pure-session.ts';

/** Loop surface L1: a turn compacts between two model calls, goes on, and is asked again. */

function sampled(session: PureSession) {
  return session.signal('sampling_complete', { needs_follow_up: true }).value.compaction;
}

describe('L1 mid-turn loop edge: compact, then continue the same turn', () => {
  it('ends after one compaction without new tokens: its boundary is used up', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(60);
    session.signal('commit');
    for (let i = 0; i < 50; i++) {
      if (sampled(session) !== null) session.complete(39_000);
    }
    expect(session.count('compaction.requested')).toBe(1);
  });

  it('ends though the same boundary comes again: too few new tokens', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(60);
    for (let i = 0; i < 50; i++) {
      session.signal('commit');
      if (sampled(session) !== null) session.complete(39_000);
    }
    expect(session.count('compaction.requested')).toBe(1);
  });

  it('ends with new tokens and boundaries when it never helps: three ineffective open the breaker', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(60);
    for (let i = 0; i < 50; i++) {
      session.append(assistant(ofTokens(2_000)));
      session.signal('commit');
      // Two thousand tokens less: still below the line of its tier.
      if (sampled(session) !== null) session.complete(session.head.state.tokens - 2_000);
    }
    expect(session.count('compaction.requested')).toBe(3);
    expect(session.count('breaker.opened')).toBe(1);
  });

  it('ends in an emergency that needs neither: three ineffective open the breaker', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(10);
    for (let i = 0; i < 50; i++) {
      if (sampled(session) !== null) session.complete(session.head.state.tokens - 1);
    }
    expect(session.count('compaction.requested')).toBe(3);
    expect(session.head.state.breaker_reset_at_ms).not.toBeNull();
  });

  it('ends when workers skip or fail each one: they count as ineffective too', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(10);
    for (let i = 0; i < 50; i++) {
      if (sampled(session) === null) continue;
      if (i % 2 === 0) session.skip();
      else session.fail();
    }
    expect(session.count('compaction.requested')).toBe(3);
  });

  it('goes on in a long turn as long as it helps', () => {
    const session = new PureSession();
    session.signal('turn_started');
    for (let i = 0; i < 10; i++) {
      session.fillTo(60);
      session.signal('commit');
      if (sampled(session) !== null) session.complete(5_000);
    }
    expect(session.count('compaction.completed')).toBe(10);
    expect(session.count('breaker.opened')).toBe(0);
  });
});
