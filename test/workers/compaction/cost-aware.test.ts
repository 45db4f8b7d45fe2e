import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EventStore } from '../../../src/app/ports/event-store.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { createSession } from '../../../src/domain/session/create-session.ts';
import type { Decide } from '../../../src/domain/session/decision.ts';
import { compactSession } from '../../../src/workers/compaction/compact-session.ts';
import { append } from '../../contracts/session-events.ts';
import { attributionOf } from '../../support/event-data.ts';
import { AT, appended, requested, SESSION, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { workerDependencies } from '../../support/worker-dependencies.ts';

const REF = { tenant: 'acme', session_id: 's' };

let store: EventStore;
beforeEach(async () => {
  store = await openTestStore();
});
afterEach(() => store.close());

async function commit<T>(decide: Decide<T>): Promise<void> {
  const outcome = await store.commit(REF, decide, { at: AT });
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
}

/** Runs a compaction of a session of some 15,000 tokens nearly all of which the provider has cached. */
async function ending(config: ConfigOverrides, by: 'append' | 'request' = 'append') {
  const overrides: ConfigOverrides = {
    auto_compact_threshold: 10_000,
    free_space_buffer: 10_000,
    token_safety_multiplier: 1,
    micro_compact_enabled: false,
    protected_tokens: 0,
    ...config,
  };
  const model = 'anthropic/claude-sonnet-4-5';
  await commit(
    createSession(WORLD, { ...SESSION, context_window: 60_000, model, config: overrides }),
  );
  const usage = { input_tokens: 100, cache_read_input_tokens: 14_900, output_tokens: 10 };
  const isAuto = by === 'append';
  await commit(
    append(
      ...[
        user('Look at the parser.'),
        ...tool('t', 'Read', 14_500, { file_path: 'src/parser.ts' }),
        assistant(ofTokens(500), { usage }),
        user('Go on.'),
      ].map(appended),
      requested({
        mode: isAuto ? 'auto' : 'full',
        trigger: isAuto ? 'auto' : 'manual',
        reason: by,
        attribution: attributionOf(by),
      }),
    ),
  );
  const worker = workerDependencies({ store });
  await compactSession(worker)({ ref: REF, compaction_id: 'c' }, new AbortController().signal);
  return (await store.events(REF, {})).at(-1);
}

it('a warm cache waits where the calls that are expected would not pay, and the event says by how much', async () => {
  const event = await ending({ compaction_cost_aware: true, cost_horizon_turns: 1 });
  expect(event).toMatchObject({
    type: 'compaction.skipped',
    data: {
      reason: 'not_worth_it',
      detail: expect.stringMatching(
        /^from 15\d{3} to about \d+ tokens would cost \$0\.0\d+, and save \$0\.0\d+ with the next 1 calls \(compaction_cost_aware, cost_horizon_turns\)$/,
      ),
      worth: { summarizer_usd: 0, horizon: 1 },
    },
  });
  const head = await store.head(REF);
  expect(head?.state).toMatchObject({ running: null, failures: 0 });
  expect((await store.verify()).problems).toEqual([]);
});

it.each<[string, ConfigOverrides, 'append' | 'request']>([
  ['with calls enough to pay', { compaction_cost_aware: true, cost_horizon_turns: 200 }, 'append'],
  ['without the option', { cost_horizon_turns: 1 }, 'append'],
  ['by hand', { compaction_cost_aware: true, cost_horizon_turns: 1 }, 'request'],
  [
    'where the window has to keep its buffer free',
    { compaction_cost_aware: true, cost_horizon_turns: 1, free_space_buffer: 46_000 },
    'append',
  ],
])('a compaction goes on %s', async (_, config, by) => {
  expect((await ending(config, by))?.type).toMatch(/^compaction\.(?:micro_)?completed$/);
});
