import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cluster } from '../support/cluster/cluster.ts';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import { installClients, runClaude, runCodex } from './programs.ts';

/**
 * The real Codex and Claude Code through the gateway, with recall and without MCP, on PostgreSQL: the
 * model looks up what a compaction has taken away, and the client neither sees that nor has to do it.
 */

const WINDOW = 50_000;
/** Codex sends less of each log. */
const CALLS = { exec_command: 28, Bash: 14 };
/** Of each log: some 5,000 tokens. */
const LINES = 600;
const SEARCH = 'palimpsest_search_history';
/** A line of the first log: Codex leaves out the middle of long ones. */
const LOST = 'night 1 step 61 took needle-1 seconds';
const FOUND = 'It was the first night.';

let provider: ScriptedProvider;
let cluster: Cluster;
let folder: string;
beforeAll(installClients, 300_000);
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  provider.window = WINDOW;
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-recalling-'));
  cluster = await Cluster.start({
    store: 'postgres',
    queue: 'in-process',
    apis: 1,
    workers: 0,
    variables: {
      PALIMPSEST_UPSTREAM_OPENAI: `${provider.url}/v1`,
      PALIMPSEST_UPSTREAM_ANTHROPIC: provider.url,
      PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
      PALIMPSEST_GATEWAY_RECALL: 'true',
    },
  });
});
afterEach(async () => {
  await cluster.dispose();
  await provider.close();
  rmSync(folder, { recursive: true });
});

/** Rounds that the client does not see, and how often one of them breaks off. */
type Looked = { before: boolean[]; after: boolean[] };

/**
 * Prints one log after the other; then looks up a line of the first, and says what it has found.
 * `cuts`: so many of the answers that follow on a look-up break off.
 */
function task(tool: keyof typeof CALLS, argument: string, cuts: number): Looked {
  const looked: Looked = { before: [], after: [] };
  let step = 0;
  let left = cuts;
  provider.script = ({ body, raw, history }) => {
    const offered = JSON.stringify(body.tools ?? []);
    if (!offered.includes(`"${tool}"`)) return { text: 'The build.' };
    if (step < CALLS[tool]) {
      step += 1;
      const command = `seq -f 'night ${step} step %g took needle-${step} seconds' 1 ${LINES}`;
      const call = { id: `call_${step}`, name: tool, input: { [argument]: command } };
      return { text: `I look at night ${step}.`, calls: [call] };
    }
    if (JSON.stringify(history.at(-1)).includes(LOST)) {
      looked.after.push(true);
      return { text: FOUND };
    }
    looked.before.push(raw.includes(LOST));
    if (left > 0) provider.troubles.push('cut');
    left -= 1;
    const input = { query: '"step 61 took needle-1"' };
    const id = `ours_${looked.before.length}`;
    return { text: 'Let me look.', calls: [{ id, name: SEARCH, input }] };
  };
  return looked;
}

describe.each([
  ['Codex', 'exec_command', 'cmd'],
  ['Claude Code', 'Bash', 'command'],
] as const)('%s', (client, tool, argument) => {
  const run = () => {
    const how = { folder, model: cluster.url(), prompt: 'Mend the build.', retries: 3 };
    return client === 'Codex' ? runCodex(how, '') : runClaude(how, '{"mcpServers":{}}');
  };

  it.each([
    ['is told what was looked up', 0],
    ['is told so after the round behind it has broken off', 1],
  ])(
    '%s',
    async (_, cuts) => {
      const looked = task(tool, argument, cuts);
      const printed = await run();
      expect(printed.slice(-2_000)).toContain(FOUND);
      expect(printed).not.toContain(SEARCH);
      expect(provider.invalid).toEqual([]);
      // It stood nowhere in the context, until it was looked up.
      expect(looked.before[0]).toBe(false);
      expect(looked.after).toEqual([true]);
      const [session] = await sessions();
      expect(session?.counts.compactions).not.toMatchObject({ micro: 0, full: 0 });
      const after = Math.max(0, (session?.version ?? 0) - 50);
      const items = await fetch(`${cluster.url()}/sessions/${session?.id}/items?after=${after}`);
      expect(await items.text()).toContain('"is_hidden_from_client":true');
    },
    300_000,
  );
});

type Session = { id: string; version: number; counts: { items: number; compactions: object } };

/** The longest first: Claude Code also asks for titles and the like. */
async function sessions(): Promise<Session[]> {
  const answer = await fetch(`${cluster.url()}/sessions`);
  const { data } = (await answer.json()) as { data: Session[] };
  return data.toSorted((one, other) => other.counts.items - one.counts.items);
}
