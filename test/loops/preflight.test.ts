import { describe, expect, it } from 'vitest';
import { assistant, ofTokens, user } from '../support/items.ts';
import { PureSession } from '../support/pure-session.ts';

function armedSession(): PureSession {
  const session = new PureSession({ auto_requires_any_boundary: ['turn_complete'] });
  session.signal('turn_started');
  session.fillTo(60);
  session.signal('turn_complete');
  return session;
}

describe('L6 the message that a preflight waits for fires it again', () => {
  it('ends with the request: it disarms the preflight, and the message stands after the cut', () => {
    const session = armedSession();
    const { value } = session.append(user('Go on.'));
    expect(session.head.state.running).toMatchObject({
      reason: 'preflight',
      before: value.first_seq,
    });
    session.complete(30_000);
    session.append(user('Are you there?'));
    session.append(user('Hello?'));
    expect(session.count('compaction.requested')).toBe(1);
    expect(session.count('preflight.armed')).toBe(1);
  });

  it('ends when it is armed after every turn: too few new tokens for another', () => {
    const session = armedSession();
    for (let i = 0; i < 20; i++) {
      if (session.append(user('Go on.')).value.compaction !== null) session.complete(30_000);
      session.append(assistant('Yes.'));
      session.signal('turn_complete');
    }
    expect(session.count('compaction.requested')).toBe(1);
    expect(session.count('preflight.armed')).toBe(1);
  });

  it('ends when long turns arm it and it never helps: the breaker opens', () => {
    const session = armedSession();
    for (let i = 0; i < 20; i++) {
      const { compaction } = session.append(user('Go on.')).value;
      if (compaction !== null) session.complete(session.head.state.tokens - 2_000);
      session.append(assistant(ofTokens(2_500)));
      session.signal('turn_complete');
    }
    expect(session.count('compaction.requested')).toBe(3);
    expect(session.count('breaker.opened')).toBe(1);
  });

  it('ends when the compaction is skipped: the preflight is disarmed all the same', () => {
    const session = armedSession();
    session.append(user('Go on.'));
    session.skip();
    session.append(user('Again.'));
    expect(session.count('compaction.requested')).toBe(1);
  });
});
