import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { requestAgain } from '../../../src/domain/session/request-again.ts';
import { NOW, requested, WORLD } from '../../support/given.ts';
import { assistant } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';

/** A session of so many tokens, in a window of 100,000. */
function sessionOf(tokens: number, config: ConfigOverrides = {}): PureSession {
  const session = new PureSession(config, 'default');
  session.push({ type: 'item.appended', data: { item: assistant('x'), tokens } });
  return session;
}

function asksAgain(session: PureSession, items_seen = 0): boolean {
  const again = { compaction_id: 'again', items_seen, now_ms: NOW };
  return session.run(requestAgain(WORLD, again)).value.applied;
}

describe('requestAgain', () => {
  it.each([
    [99_999, false],
    [100_000, true],
    [120_000, true],
  ])('asks from a full window on: %i of 100,000 tokens, %s', (tokens, asks) => {
    const session = sessionOf(tokens);
    expect(asksAgain(session)).toBe(asks);
    expect(session.head.state.running?.id).toBe(asks ? 'again' : undefined);
  });

  it('asks only for items that nobody has looked at', () => {
    expect(asksAgain(sessionOf(100_000), 1)).toBe(false);
  });

  it.each<ConfigOverrides>([
    { enabled: false },
    { auto_compact_enabled: false },
    { auto_compact_mode: 'suggest' },
  ])('does not ask with %o', (config) => {
    expect(asksAgain(sessionOf(100_000, config))).toBe(false);
  });

  it('does not ask while another one is under way', () => {
    const session = sessionOf(100_000);
    session.push(requested());
    expect(asksAgain(session)).toBe(false);
  });
});
