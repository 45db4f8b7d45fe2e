import { afterEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';
import { countOf, post } from './post.ts';

let lab: SessionLab;
afterEach(() => lab.close());

const LIMIT = 6_000;

async function openLab(config: ConfigOverrides = {}) {
  const limited = { auto_compact_token_limit: LIMIT, ...config };
  const session = { profile: 'codex-classic', context_window: 100_000, config: limited } as const;
  lab = await SessionLab.open('anthropic', session);
}

describe('L10 a user message that is larger than the limit by itself', () => {
  it('ends by the breaker when no compaction can bring the context under the limit', async () => {
    await openLab({ auto_compact_min_messages: 2 });
    await post(lab, assistant('Hello.'));
    let requests = 0;
    for (let turn = 0; turn < 30; turn++) {
      // Each brings enough new tokens for the guard, and is too large by itself.
      if (await post(lab, user(ofTokens(LIMIT)))) requests++;
      await post(lab, assistant('Still there.'));
    }
    expect(requests).toBe(3);
    expect(await countOf(lab, 'breaker.opened')).toBe(1);
  });

  it('ends by the least number of messages after each compaction, however full the context is', async () => {
    await openLab({ user_message_max_tokens: 100 });
    const requestedAt: number[] = [];
    for (let message = 1; message <= 40; message++) {
      const item = message % 2 === 0 ? assistant(ofTokens(3_000)) : user('Go on.');
      if (await post(lab, item)) requestedAt.push(message);
    }
    // Two answers exceed the limit; every eighth message is one of the assistant.
    expect(requestedAt).toEqual([9, 17, 25, 33]);
    expect(await countOf(lab, 'compaction.completed')).toBe(4);
  });

  it('ends by the guard without new tokens', async () => {
    await openLab();
    for (let turn = 0; turn < 4; turn++) {
      await post(lab, user('Small.'));
      await post(lab, assistant('Small.'));
    }
    expect(await post(lab, user(ofTokens(LIMIT)))).toBe(true);
    for (let turn = 0; turn < 10; turn++) expect(await post(lab, user('And?'))).toBe(false);
    expect(await countOf(lab, 'compaction.requested')).toBe(1);
  });
});
