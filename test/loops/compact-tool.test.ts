import { afterEach, describe, expect, it } from 'vitest';
import { requestCompaction } from '../../src/domain/session/compaction-commands.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';

let lab: SessionLab;
afterEach(() => lab.close());

/** The agent calls its tool; the worker runs what there is to run. Whether there was. */
async function callTool(): Promise<boolean> {
  const request = { compaction_id: lab.newId(), mode: 'auto', trigger: 'tool' } as const;
  const requested = await lab.commit(requestCompaction(lab.world, request));
  if (!requested.ok) throw new Error(requested.rejection.detail);
  if (requested.value.is_under_way) await lab.work(requested.value.id);
  return requested.value.is_under_way;
}

describe('L7 an agent that calls the compact tool again and again', () => {
  it('ends by the least number of new tokens: once per 10,000', async () => {
    const session = { profile: 'tiered', context_window: 200_000, config: {} } as const;
    lab = await SessionLab.open('anthropic', session);
    for (let turn = 0; turn < 20; turn++) {
      await lab.append([user('Go on.'), assistant(ofTokens(1_000))]);
    }
    const calls: boolean[] = [];
    for (let turn = 0; turn < 40; turn++) {
      calls.push(await callTool());
      // With the margin of a third about 1,340 tokens: eight turns make 10,000.
      await lab.append([user('Go on.'), assistant(ofTokens(1_000))]);
    }
    const ranAt = calls.flatMap((hasRun, turn) => (hasRun ? [turn] : []));
    expect(ranAt).toEqual([0, 8, 16, 24, 32]);
    const { compactions, failures } = (await lab.head()).state;
    expect(compactions).toMatchObject({ skipped: 35 });
    // A tool's call is no attempt of the service: it cannot open the breaker.
    expect(failures).toBe(0);
  });
});
