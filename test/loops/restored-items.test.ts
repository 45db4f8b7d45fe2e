import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { HookServer, replies } from '../support/hook-server.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';
import { countOf, post } from './post.ts';

let lab: SessionLab;
let hooks: HookServer;
beforeEach(async () => {
  hooks = await HookServer.start();
});
afterEach(async () => {
  await hooks.close();
  await lab.close();
});

const THRESHOLD = 20_000;

async function open(config: ConfigOverrides = {}): Promise<void> {
  lab = await SessionLab.open('anthropic', {
    profile: 'claude-code',
    context_window: 200_000,
    // Without the guard, so that only what is left out keeps the next compaction away.
    config: {
      auto_compact_threshold: THRESHOLD,
      min_new_tokens_between_compactions: 0,
      ...config,
    },
  });
}

/** Five files of 5,000 tokens, which with the margin are far more than the threshold. */
const FILES = ['a', 'b', 'c', 'd', 'e'].flatMap((name) =>
  tool(name, 'Read', 5_000, { file_path: `src/${name}.ts` }),
);
const fromHook = (tokens: number) => user(`From the hook. ${ofTokens(tokens)}`);

describe('L5 what is restored lifts the context over the threshold again', () => {
  it('ends there: files are left out until the context is below it', async () => {
    await open();
    expect(await post(lab, user('Read all of it.'), ...FILES)).toBe(true);
    expect(await countOf(lab, 'compaction.threshold_exceeded')).toBe(0);
    const files = (await lab.view()).entries.filter(({ origin }) => origin === 'file');
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThan(5);
    for (let turn = 0; turn < 20; turn++) {
      expect(await post(lab, assistant('Still there.'))).toBe(false);
    }
  });

  it.each(['SessionStart', 'PostCompact'] as const)(
    'ends there: items of a %s hook are left out in the same way',
    async (event) => {
      await open();
      lab.hooks = [hooks.hook(event, [replies({ items: [fromHook(20_000)] })])];
      expect(await post(lab, user('Go.'), assistant(ofTokens(16_000)))).toBe(true);
      expect(JSON.stringify((await lab.view()).entries)).not.toContain('From the hook.');
      for (let turn = 0; turn < 20; turn++) {
        expect(await post(lab, assistant('Still there.'))).toBe(false);
      }
    },
  );

  it('ends there: those that fit are no new tokens', async () => {
    await open({ min_new_tokens_between_compactions: 4_000 });
    const answers = Array.from({ length: 5 }, () => replies({ items: [fromHook(12_000)] }));
    lab.hooks = [hooks.hook('PostCompact', answers)];
    expect(await post(lab, user('Go.'), assistant(ofTokens(16_000)))).toBe(true);
    expect(JSON.stringify((await lab.view()).entries)).toContain('From the hook.');
    const requestedAt: number[] = [];
    for (let turn = 1; turn <= 100; turn++) {
      if (await post(lab, assistant(ofTokens(100)))) requestedAt.push(turn);
    }
    // The threshold is reached after 28 turns, 4,000 tokens of the conversation after 40.
    expect(requestedAt).toEqual([40, 80]);
  });
});
