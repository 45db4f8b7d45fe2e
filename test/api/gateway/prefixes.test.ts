import { afterEach, describe, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { breaksIn } from '../../support/gateway/prefixes.ts';
import { ReferringClient } from '../../support/gateway/referring-client.ts';
import { SDKS, taskScript } from '../../support/gateway/sdk-task.ts';

/** What the prompt cache of a provider lives on: each request goes on from the one before. */

const WINDOW = 30_000;
const ANSWER = 'The build fails because of a missing file.';
const headers = { 'x-palimpsest-context-window': String(WINDOW) };
const CLIENTS = (['messages', 'chat', 'responses'] as const).flatMap((protocol) =>
  [true, false].map((stream) => [protocol, stream] as const),
);

let lab: GatewayLab;
afterEach(() => lab.close());

function task(calls: number): void {
  lab.provider.script = taskScript(calls);
  lab.provider.window = WINDOW;
}

/** How many compactions of the only session have taken the place of something. */
async function changes(): Promise<number> {
  const [session] = (await lab.api.deps.store.sessions('local', { limit: 10 })).data;
  const events = await lab.events(session?.ref.session_id ?? '');
  return events.filter(({ type }) => /^compaction\.(?:micro_)?completed$/.test(type)).length;
}

describe('between compactions each request goes on from the one before, byte for byte', () => {
  it.each(CLIENTS)('%s, streamed: %s', async (protocol, stream) => {
    lab = await GatewayLab.open();
    task(16);
    expect(await SDKS[protocol]({ url: lab.url, stream, headers })).toBe(ANSWER);
    const breaks = breaksIn(lab.provider.turns);
    expect(lab.provider.turns).toHaveLength(17);
    expect(breaks.length).toBeGreaterThan(0);
    expect(breaks.length).toBeLessThanOrEqual(await changes());
    expect(lab.provider.invalid).toEqual([]);
  });

  it('a client that names items', async () => {
    lab = await GatewayLab.open();
    task(16);
    const client = new ReferringClient(lab.url, 'Read the logs.', { reasoning: {} });
    client.headers = headers;
    while (await client.step());
    const breaks = breaksIn(lab.provider.turns);
    expect(breaks.length).toBeGreaterThan(0);
    expect(breaks.length).toBeLessThanOrEqual(await changes());
  });
});

describe('while no worker makes room, what is shortened grows in steps', () => {
  it.each(['messages', 'chat', 'responses'] as const)('%s', async (protocol) => {
    const window = 60_000;
    lab = await GatewayLab.open({ dispatch: () => {} }, undefined, 0.1);
    task(26);
    lab.provider.window = window;
    const large = { 'x-palimpsest-context-window': String(window) };
    const client = { url: lab.url, stream: true, headers: large };
    expect(await SDKS[protocol](client)).toBe(ANSWER);
    const { turns } = lab.provider;
    const [first = 0, ...others] = breaksIn(turns);
    expect(turns).toHaveLength(27);
    expect(first).toBeGreaterThan(2);
    // Each step is some turns long.
    expect(others.length).toBeGreaterThan(0);
    expect(others.length).toBeLessThanOrEqual((turns.length - first) / 2);
    expect(lab.provider.invalid).toEqual([]);
  });
});
