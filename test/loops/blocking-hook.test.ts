import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fails, HookServer, replies } from '../support/hook-server.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';
import { countOf, post } from './post.ts';

let lab: SessionLab;
let hooks: HookServer;
beforeEach(async () => {
  hooks = await HookServer.start();
  lab = await SessionLab.open('anthropic', {
    profile: 'claude-code',
    context_window: 200_000,
    config: { auto_compact_threshold: 5_000 },
  });
});
afterEach(async () => {
  await hooks.close();
  await lab.close();
});

describe('L8 a hook blocks every automatic compaction', () => {
  it.each([
    ['blocks', () => replies({ block: true }), {}],
    ['is required, and fails', () => fails(500), { required: true }],
  ] as const)('ends by the breaker after three when the hook %s', async (_how, behaviour, is) => {
    const answers = Array.from({ length: 30 }, behaviour);
    lab.hooks = [hooks.hook('PreCompact', answers, is)];
    await post(lab, user('Go.'));
    let requests = 0;
    for (let turn = 0; turn < 30; turn++) {
      if (await post(lab, assistant(ofTokens(4_000)))) requests += 1;
    }
    expect(requests).toBe(3);
    expect(hooks.requests).toHaveLength(3);
    expect(await countOf(lab, 'compaction.failed')).toBe(3);
    expect(await countOf(lab, 'breaker.opened')).toBe(1);
  });
});
