import { afterEach, describe, expect, it } from 'vitest';
import { ofTokens, tool, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';
import { countOf, post } from './post.ts';

let lab: SessionLab;
afterEach(() => lab.close());

describe('L9 clearing without escalation leaves the context above the threshold', () => {
  it('ends with a summary: what was cleared once is not worth clearing again', async () => {
    lab = await SessionLab.open('anthropic', {
      profile: 'codex-v2',
      context_window: 200_000,
      config: {},
    });
    const results = Array.from({ length: 10 }, (_, n) => tool(`r${n}`, 'Read', 4_000)).flat();
    // Talk that counts 176,890 with the margin, and 10 results of 4,000.
    const requestedAt: number[] = [];
    if (await post(lab, user(ofTokens(133_000)), ...results)) requestedAt.push(0);
    expect(await countOf(lab, 'compaction.micro_completed')).toBe(1);
    expect(await countOf(lab, 'compaction.threshold_exceeded')).toBe(1);
    for (let turn = 1; turn <= 20; turn++) {
      if (await post(lab, user(ofTokens(500)))) requestedAt.push(turn);
    }
    // The guard waits for 2,000 new tokens.
    expect(requestedAt).toEqual([0, 4]);
    expect(await countOf(lab, 'compaction.micro_completed')).toBe(1);
    expect(await countOf(lab, 'compaction.completed')).toBe(1);
    expect(await countOf(lab, 'breaker.opened')).toBe(0);
  });
});
