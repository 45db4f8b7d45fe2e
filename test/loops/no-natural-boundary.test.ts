import { describe, expect, it } from 'vitest';
import { assistant, user } from '../support/items.ts';
import { PureSession } from '../support/pure-session.ts';

describe('L13 every turn ends without a natural boundary', () => {
  it('ends after one skip: nothing runs, nothing is said twice, and no failure is counted', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(70);
    for (let i = 0; i < 50; i++) {
      session.append(user('Go on.'), assistant('Here you are.'));
      expect(session.signal('turn_complete').value.compaction).toBeNull();
    }
    expect(session.count('compaction.skipped')).toBe(1);
    expect(session.head.state).toMatchObject({ failures: 0, breaker_reset_at_ms: null });
  });

  it('does not keep a boundary of later from compacting', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(70);
    for (let i = 0; i < 5; i++) session.signal('turn_complete');
    session.signal('commit');
    expect(session.signal('turn_complete').value.compaction).toMatchObject({
      reason: 'turn_complete',
    });
  });
});
