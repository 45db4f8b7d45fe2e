import { describe, expect, it } from 'vitest';
import { assistant, ofTokens, user } from '../support/items.ts';
import { PureSession } from '../support/pure-session.ts';

/** A message with which the provider reports a full context. */
const FULL = assistant('ok', { usage: { input_tokens: 98_000, output_tokens: 0 } });

describe('L4 token usage is stale: a figure from before a compaction is read after it', () => {
  it('ends with the compaction, which forgets what was reported', () => {
    const session = new PureSession({}, 'claude-code');
    session.append(user(ofTokens(5_000)));
    expect(session.append(FULL).value.compaction).not.toBeNull();
    session.complete(500);
    // Enough that is new for the guard, each time.
    for (let turn = 0; turn < 20; turn++) {
      expect(session.append(assistant(ofTokens(2_500))).value.compaction).toBeNull();
    }
    expect(session.count('compaction.requested')).toBe(1);
  });

  it('ends there for one that was reported while the compaction ran, too', () => {
    const session = new PureSession({}, 'claude-code');
    session.append(user(ofTokens(5_000)), FULL);
    session.append(FULL);
    session.complete(500);
    expect(session.append(assistant(ofTokens(2_500))).value.compaction).toBeNull();
  });

  it('ends there for the model call that was under way: its figure is passed over, once', () => {
    const session = new PureSession({}, 'claude-code');
    session.append(user(ofTokens(5_000)), FULL);
    session.complete(500);
    session.append(user(ofTokens(2_500)));
    expect(session.append(FULL).value.compaction).toBeNull();
    expect(session.append(FULL).value.compaction).not.toBeNull();
  });

  it('ends there for one that counts less than was estimated before the compaction', () => {
    // No answer has reported anything: the size of the context is its estimate with a margin.
    const session = new PureSession({ token_safety_multiplier: 1.33 }, 'claude-code');
    session.append(user(ofTokens(70_000)));
    expect(session.append(user(ofTokens(5_000))).value.compaction).not.toBeNull();
    session.complete(500);
    const left = session.append(user('And now?')).value.context.tokens;
    const reported = (input_tokens: number) =>
      assistant('ok', { usage: { input_tokens, output_tokens: 0 } });
    expect(session.append(reported(75_000)).value.context.tokens).toBeLessThan(left + 5);
    expect(session.append(reported(6_000)).value.context.tokens).toBe(6_000);
  });

  it.each(['mid-turn', 'at the end of a turn'])(
    'ends there %s: the tiers see what is left',
    (where) => {
      const session = new PureSession();
      session.signal('turn_started');
      session.append(user(ofTokens(5_000)), FULL);
      for (let i = 0; i < 20; i++) {
        session.append(assistant(ofTokens(100)));
        session.signal('commit');
        const { value } =
          where === 'mid-turn'
            ? session.signal('sampling_complete', { needs_follow_up: true })
            : session.signal('turn_complete');
        if (value.compaction !== null) session.complete(500);
      }
      expect(session.count('compaction.requested')).toBe(1);
    },
  );
});
