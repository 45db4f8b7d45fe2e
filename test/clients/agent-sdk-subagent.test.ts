import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/client/client.ts';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { runExample } from './examples.ts';
import { installClients } from './programs.ts';

/** A subagent of the Claude Agent SDK through palimpsest/claude-agent-sdk, and the SDK's own list and deletion. */

const ORDER = 'Have the logs of the west gate read.';
const ERRAND = 'Read the log of the west gate, and say what is in it.';
const FOUND = 'A kingfisher sat on the west gate.';
const ANSWER = 'The reader has seen a kingfisher.';
const QUESTION = 'Where did it sit?';
const PLACE = 'It sat on the left post.';
const MOST_MS = 240_000;

const HEAD = `import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { palimpsest } from 'palimpsest/claude-agent-sdk';
import { z } from 'zod';
const url = 'http://127.0.0.1:8787';
const sessionStore = palimpsest({ url });
const [resume, dir] = process.argv.slice(2);
const { createSdkMcpServer, query, tool } = sdk;
const say = (value) => console.log(JSON.stringify(value));
`;

/** Sends out a reader, or goes on with it; says what came of it, the id, and the folder. */
const AGENT = `${HEAD}
const readLog = tool('read_log', 'reads the log', { step: z.number() }, async () => ({
  content: [{ type: 'text', text: 'a kingfisher on the gate' }],
}));
let [id, result] = ['', ''];
const messages = query({
  prompt: resume ? 'Ask the reader where it sat.' : '${ORDER}',
  options: {
    sessionStore,
    ...(resume && { resume }),
    agents: {
      reader: { description: 'reads logs', prompt: 'You read logs.', tools: ['mcp__logs__read_log'] },
    },
    mcpServers: { logs: createSdkMcpServer({ name: 'logs', tools: [readLog] }) },
    allowedTools: ['Agent', 'mcp__logs__read_log'],
  },
});
for await (const message of messages) {
  if (message.subtype === 'mirror_error') console.error('not kept: ' + message.error);
  if (message.type === 'result') (id = message.session_id), (result = message.result);
}
say([result, id, process.cwd()]);
`;

/** As before, and the lines that Claude Code has kept of the reader itself: its folders are gone in the end. */
const COMPARED = `${AGENT}
import { readdirSync, readFileSync } from 'node:fs';
const folder = process.env.CLAUDE_CONFIG_DIR + '/projects';
const [own] = readdirSync(folder, { recursive: true }).filter((path) => /agent-.*jsonl$/.test(path));
const kept = readFileSync(folder + '/' + own, 'utf8').trim().split('\\n');
say(own.replace(/^[^/]*.[^/]*.(.*).jsonl$/, '$1'));
say(kept.map((line) => JSON.parse(line)).filter(({ type }) => !/^api-request/.test(type)));
`;

/** What another process is told of it by the SDK. */
const READER = `${HEAD}
const from = { dir, sessionStore };
const listed = async () => [
  (await sdk.listSessions(from)).map(({ sessionId }) => sessionId),
  await sdk.listSubagents(resume, from),
];
const projectKey = dir.replaceAll(/[^a-zA-Z0-9]/g, '-');
const key = { projectKey, sessionId: resume };
const before = await listed();
const messages = await sdk.getSubagentMessages(resume, before[1][0], from);
const [subpath] = await sessionStore.listSubkeys(key);
say([before, messages[0].message.content, messages.at(-1).message.content, subpath]);
const loaded = await sessionStore.load({ ...key, subpath });
// The SDK keeps what it knows of the subagent in a file beside the transcript.
say(loaded.filter(({ type }) => type !== 'agent_metadata'));
`;

const ERASER = `${HEAD}
const from = { dir, sessionStore };
await sdk.deleteSession(resume, from);
say([await sdk.listSessions(from), await sdk.listSubagents(resume, from)]);
say(await sdk.getSessionMessages(resume, from));
`;

let provider: ScriptedProvider;
let service: ServiceProcess;
beforeAll(installClients, 300_000);
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  service = await startService();
  provider.script = ({ body, history }) => {
    const tools = JSON.stringify(body.tools ?? []);
    const said = JSON.stringify(history);
    const results = said.split('"type":"tool_result"').length - 1;
    if (!tools.includes('"name":"')) return { text: 'Done.' };
    const call = (name: string, input: object) => ({
      text: '',
      calls: [{ id: `call_${name}_${results}`, name, input }],
    });
    // The reader has no other tool.
    if (!tools.includes('"name":"Agent"')) {
      if (said.includes(QUESTION)) return { text: said.includes(FOUND) ? PLACE : 'Who?' };
      return results > 0 ? { text: FOUND } : call('mcp__logs__read_log', { step: 1 });
    }
    if (results === 0) {
      const errand = { description: 'read a log', prompt: ERRAND, subagent_type: 'reader' };
      return call('Agent', { ...errand, run_in_background: false });
    }
    const [, agent] = /agentId: (\w+)/.exec(said) ?? [];
    if (said.includes('Ask the reader') && results === 1)
      return call('SendMessage', { to: agent, summary: 'ask', message: QUESTION });
    return { text: said.includes(PLACE) ? `It says: ${PLACE}` : ANSWER };
  };
});
afterEach(async () => {
  await service.dispose();
  await provider.close();
});

async function run(code: string, ...given: string[]): Promise<unknown[]> {
  const printed = await runExample(code, {
    url: service.url,
    arguments: given,
    environment: { ANTHROPIC_BASE_URL: provider.url, ENABLE_TOOL_SEARCH: 'false' },
  });
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it(
  'keeps a subagent under its subpath, goes on with it in another process, and deletes all',
  async () => {
    const [[said, id, folder], subpath, kept] = z
      .tuple([z.tuple([z.string(), z.string(), z.string()]), z.string(), z.array(z.unknown())])
      .parse(await run(COMPARED));
    expect(said).toBe(ANSWER);
    const agent = subpath.replace(/^subagents.agent-/, '');
    const [told, loaded] = await run(READER, id, folder);
    expect(told).toMatchObject([[[id], [agent]], ERRAND, [{ text: FOUND }], subpath]);
    expect(kept.length).toBeGreaterThan(4);
    expect(loaded).toEqual(kept);
    const client = createClient({ url: service.url });
    const stored = async () =>
      (await client.listSessions({})).data.map((session) => session.id).toSorted();
    const [main, own = ''] = await stored();
    expect([main, own]).toEqual([id, expect.stringMatching(`^${id}.agent-${agent}.`)]);
    const { items } = await client.getContext({ id: own });
    expect(JSON.stringify(items)).toMatch(
      /Read the log.*a kingfisher on the gate.*A kingfisher sat/,
    );

    const [again] = await run(AGENT, id);
    expect(again).toMatchObject([`It says: ${PLACE}`, id, expect.not.stringMatching(folder)]);
    const [then] = await run(READER, id, folder);
    expect(then).toMatchObject([[[id], [agent]], ERRAND, [{ text: PLACE }], subpath]);
    expect(await stored()).toEqual([id, own]);
    expect(provider.invalid).toEqual([]);

    expect(await run(ERASER, id, folder)).toEqual([[[], []], []]);
    expect(await stored()).toEqual([]);
  },
  MOST_MS,
);
