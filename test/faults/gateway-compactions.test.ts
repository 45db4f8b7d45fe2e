import { afterEach, beforeEach, expect, it } from 'vitest';
import { Cluster, type Layout } from '../support/cluster/cluster.ts';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import { SDKS, taskScript } from '../support/gateway/sdk-task.ts';
import { atScale } from '../support/scale.ts';
import { hang, status } from '../support/scripted-model/behaviour.ts';

/** The gateway in a task that overflows its window, while compactions cannot be had as they should be. */

const WINDOW = 30_000;
/** Of some 4,000 tokens each. */
const CALLS = atScale({ brief: 12, short: 14, long: 30 });
/** The call during which something breaks: nothing was compacted yet. */
const BREAKS_AT = 3;
const ANSWER = 'The build fails because of a missing file.';
const PROTOCOLS = ['messages', 'chat', 'responses'] as const;

let provider: ScriptedProvider;
let cluster: Cluster;
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  provider.window = WINDOW;
});
afterEach(async () => {
  await cluster.dispose();
  await provider.close();
});

async function start(layout: Omit<Layout, 'apis'>): Promise<void> {
  cluster = await Cluster.start({
    ...layout,
    apis: 1,
    variables: {
      PALIMPSEST_UPSTREAM_OPENAI: `${provider.url}/v1`,
      PALIMPSEST_UPSTREAM_ANTHROPIC: provider.url,
      PALIMPSEST_GATEWAY_WAIT: '2',
      ...layout.variables,
    },
  });
}

/** Works through the task; `breaking` happens while the model is asked for the third time. */
async function work(
  protocol: (typeof PROTOCOLS)[number],
  session: string,
  breaking: () => Promise<unknown> = async () => {},
): Promise<void> {
  const script = taskScript(CALLS);
  let step = 0;
  provider.script = (received) => {
    step += 1;
    if (step === BREAKS_AT) provider.held = breaking().then(() => {});
    return script(received, step - 1);
  };
  const headers = {
    'x-palimpsest-session': session,
    'x-palimpsest-context-window': String(WINDOW),
  };
  expect(await SDKS[protocol]({ url: cluster.url(), stream: true, headers })).toBe(ANSWER);
  expect(provider.invalid).toEqual([]);
  const tokens = provider.turns.map((turn) => turn.tokens);
  expect(Math.max(...tokens)).toBeLessThanOrEqual(WINDOW);
}

type Done = { micro: number; full: number; failed: number };

/** What was compacted, by session. */
async function compactions(): Promise<Done[]> {
  const answer = await fetch(`${cluster.url()}/sessions`);
  const { data } = (await answer.json()) as { data: { counts: { compactions: Done } }[] };
  return data.map(({ counts }) => counts.compactions);
}

it.each(PROTOCOLS)(
  'Redis goes away in the middle of a task of %s: it ends all the same',
  async (protocol) => {
    await start({ store: 'sqlite', queue: 'bullmq', workers: 1 });
    await work(protocol, 'away', () => cluster.killServer('redis'));
    await cluster.redis?.start();
    await work(protocol, 'back');
    // What could not be compacted then is compacted now.
    const done = async () => (await compactions()).map(({ micro, full }) => micro + full > 0);
    await expect.poll(done, { timeout: 60_000 }).toEqual([true, true]);
    expect(await cluster.verify()).toBeNull();
  },
);

it.each([
  ['says 500', status(500)],
  ['hangs', hang()],
])(
  'the model for summaries %s each time: every task ends, compacted from the log',
  async (_, behaviour) => {
    await start({
      store: 'sqlite',
      queue: 'in-process',
      workers: 0,
      // Nothing but a summary makes room, and nothing takes the place of the model.
      variables: {
        PALIMPSEST_MICRO_COMPACT_ENABLED: 'false',
        PALIMPSEST_SUMMARIZER_FALLBACK: 'micro',
        PALIMPSEST_SUMMARIZER_MAX_ATTEMPTS: '1',
      },
    });
    cluster.model.script(...Array.from({ length: 1_000 }, () => behaviour));
    for (const protocol of PROTOCOLS) {
      await work(protocol, protocol);
    }
    const done = await compactions();
    expect(done.map(({ full }) => full > 0)).toEqual(PROTOCOLS.map(() => true));
    expect(cluster.model.requests.length).toBeGreaterThan(0);
    expect(await cluster.verify()).toBeNull();
  },
);
