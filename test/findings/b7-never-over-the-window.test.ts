import { afterEach, describe, expect, it } from 'vitest';
import { configOf, contextTokens } from '../../src/domain/session/head.ts';
import { post } from '../loops/post.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';

const WINDOW = 200_000;

describe('B7: no context stands over its window with nothing under way', () => {
  let lab: SessionLab;
  afterEach(() => lab.close());

  async function tokens(): Promise<number> {
    const { state, settings } = await lab.head();
    return contextTokens(state, configOf(settings, {}));
  }

  it('codex-v2: clearing that leaves it over the window is followed by a summary', async () => {
    lab = await SessionLab.open('anthropic', {
      profile: 'codex-v2',
      context_window: WINDOW,
      config: {},
    });
    const talk = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? user(ofTokens(6_000)) : assistant(ofTokens(6_000)),
    );
    const reads = [20_000, 20_000, 14_000, 14_000, 14_000];
    await post(
      lab,
      ...talk,
      ...reads.flatMap((size, n) => tool(`r${n}`, 'shell', size)),
      user('Go on.'),
    );
    expect(await tokens()).toBeLessThan(WINDOW);
  });

  it('codex-classic: a long turn is compacted though no message of the user comes', async () => {
    const config = { auto_compact_token_limit: 150_000 };
    lab = await SessionLab.open('anthropic', {
      profile: 'codex-classic',
      context_window: WINDOW,
      config,
    });
    await post(lab, user('Read everything.'));
    for (let n = 0; n < 40; n++) {
      await post(lab, ...tool(`r${n}`, 'Read', 9_000));
      expect(await tokens()).toBeLessThan(WINDOW);
    }
  });

  it('what comes while a compaction runs and fills the window asks for the next one', async () => {
    lab = await SessionLab.open('anthropic', {
      profile: 'default',
      context_window: WINDOW,
      config: {},
    });
    const turn = (n: number) => [user(`Part ${n}.`), assistant(ofTokens(20_000))];
    const first = await lab.append([1, 2, 3, 4, 5, 6, 7, 8].flatMap(turn));
    const id = first.ok ? first.value.compaction?.id : undefined;
    if (id === undefined) throw new Error('nothing was requested');
    // They come after the worker has planned: as it writes its commit.
    const commit = lab.store.commit.bind(lab.store);
    let steps = 0;
    lab.store.commit = async (ref, decide, options) => {
      steps += 1;
      if (steps === 2) await lab.append([11, 12, 13, 14, 15, 16, 17, 18].flatMap(turn));
      return commit(ref, decide, options);
    };
    await lab.work(id);
    expect(await tokens()).toBeGreaterThanOrEqual(WINDOW);
    expect((await lab.head()).state.running).not.toBeNull();
    for (let next = lab.dispatched.shift(); next !== undefined; next = lab.dispatched.shift()) {
      await lab.work(next);
    }
    expect(await tokens()).toBeLessThan(WINDOW);
    expect((await lab.head()).state.running).toBeNull();
  });
});
