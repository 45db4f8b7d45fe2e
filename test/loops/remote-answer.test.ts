import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { remoteCompactor } from '../../src/workers/summarizers/remote/remote-compactor.ts';
import { ofTokens } from '../support/items.ts';
import { compaction } from '../support/scripted-model/behaviour.ts';
import { opaqueItem } from '../support/scripted-model/compaction.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import { SessionLab } from '../support/session-lab.ts';
import { message } from '../workers/summarizers/remote/remote-lab.ts';
import { countOf, post } from './post.ts';

let lab: SessionLab;
let provider: ScriptedModelServer;
beforeEach(async () => {
  provider = await ScriptedModelServer.start();
});
afterEach(async () => {
  await provider.close();
  await lab.close();
});

async function open(config: ConfigOverrides = {}): Promise<void> {
  lab = await SessionLab.open('openai-responses', {
    profile: 'codex-v2',
    model: 'gpt-5.4',
    context_window: 200_000,
    config: { auto_compact_threshold: 15_000, remote_compaction: true, ...config },
  });
  lab.compactRemotely = remoteCompactor({
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: provider.openaiUrl,
  });
}

/** What the provider gives back each time: more than it was given. */
function answerWithMore(times: number): void {
  const more = compaction(message('user', ofTokens(30_000)), opaqueItem());
  provider.script(...Array.from({ length: times }, () => more));
}

describe('L11 the answer of the provider is not smaller than what it stands for', () => {
  it('ends there: it is refused, and the local compaction does it', async () => {
    await open();
    answerWithMore(20);
    expect(await post(lab, message('user', 'Go.'), message('assistant', ofTokens(12_000)))).toBe(
      true,
    );
    for (let turn = 0; turn < 20; turn++) {
      expect(await post(lab, message('assistant', ofTokens(200)))).toBe(false);
    }
    expect(provider.requests).toHaveLength(1);
    expect(await countOf(lab, 'compaction.completed')).toBe(1);
  });

  it('ends by the breaker where the local one would not shrink it either', async () => {
    await open({ min_new_tokens_between_compactions: 0 });
    answerWithMore(20);
    let requests = 0;
    for (let turn = 0; turn < 20; turn++) {
      // What the provider counts is far above what stands here: nothing can be won.
      const usage = { input_tokens: 16_000, output_tokens: 0 };
      const answer = message('assistant', 'Yes.', { usage });
      if (await post(lab, message('user', `Go on, ${turn}.`), answer)) requests += 1;
    }
    expect(requests).toBe(3);
    expect(provider.requests).toHaveLength(3);
    expect(await countOf(lab, 'breaker.opened')).toBe(1);
  });
});
