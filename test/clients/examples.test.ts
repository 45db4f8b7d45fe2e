import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/client/client.ts';
import { isJsonObject } from '../../src/domain/json.ts';
import { send } from '../support/api-server.ts';
import { type Received, ScriptedProvider } from '../support/gateway/provider.ts';
import { atScale } from '../support/scale.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { example, runExample } from './examples.ts';
import { installClients } from './programs.ts';

/**
 * The official clients as they come from npm, each with the program that docs/clients.md shows, on a task
 * whose history overflows the window again and again.
 */

/** In tokens. Claude Code begins with 20,000 of its own. */
const WINDOWS = { small: 20_000, large: 60_000 };
/** Of some 4,000 tokens each: about ten times the window in the long form. */
const CALLS = {
  small: atScale({ brief: 12, short: 16, long: 60 }),
  large: atScale({ brief: 20, short: 24, long: 180 }),
};
const ANSWER = 'The build fails because of a missing file.';

let provider: ScriptedProvider;
let service: ServiceProcess;
beforeAll(installClients, 300_000);
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  service = await startService({
    PALIMPSEST_UPSTREAM_OPENAI: `${provider.url}/v1`,
    PALIMPSEST_UPSTREAM_ANTHROPIC: provider.url,
    PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
  });
});
afterEach(async () => {
  await service.dispose();
  await provider.close();
});

/** Each log is read once, by whatever tool the client offers for that. */
function readLogs(calls: number): void {
  let step = 0;
  provider.script = ({ body }) => {
    const offered = JSON.stringify(body.tools ?? []);
    const [, tool = ''] = /"name":"((?:mcp__\w+__)?read_log|Read)"/.exec(offered) ?? [];
    if (tool === '' || step >= calls) return { text: ANSWER };
    const path = `logs/night-${step}.log`;
    const input = tool === 'Read' ? { file_path: path } : { path };
    step += 1;
    return { text: `Log ${step}.`, calls: [{ id: `call_${step}`, name: tool, input }] };
  };
}

const sessionsSchema = z.object({ data: z.array(z.object({ id: z.string() })) });
const costSchema = z.object({ calls: z.int(), compactions: z.int() });

/** Nothing was invalid, all fitted, and the log has what was read first. */
async function expectWorked(window: number, calls: number, client: string): Promise<void> {
  expect(provider.invalid).toEqual([]);
  const { body } = await send(service, 'GET', '/sessions?limit=20');
  const metrics = (await send(service, 'GET', '/metrics')).text;
  expect(metrics).not.toMatch(/^palimpsest_gateway_bypasses_total\{/m);
  const sessions = sessionsSchema.parse(body).data;
  const costs = await Promise.all(
    sessions.map(async ({ id }) =>
      costSchema.parse((await send(service, 'GET', `/sessions/${id}/cost`)).body),
    ),
  );
  const compactions = costs.reduce((sum, each) => sum + each.compactions, 0);
  const turns = provider.turns.filter(hasTools);
  const refused = turns.filter(({ tokens }) => tokens > window);
  const largest = Math.max(...turns.map(({ tokens }) => (tokens > window ? 0 : tokens)));
  console.log(
    `${client}: ${turns.length} requests, ${compactions} compactions, the largest ${largest} of ${window} tokens, ${refused.length} refused`,
  );
  expect(turns.length - refused.length).toBe(calls + 1);
  // Until the window is learned.
  expect(refused.length).toBeLessThanOrEqual(2);
  expect(compactions).toBeGreaterThanOrEqual(3);
  const found = await send(service, 'GET', '/search?q=%22night-2.log%3A249%22');
  expect(found.text.slice(0, 2000)).toContain('night-2.log:249 step');
}

function hasTools({ body }: Received): boolean {
  return Array.isArray(body.tools) && body.tools.some(isJsonObject);
}

type Client = [name: string, section: string, nth: number, changed: (code: string) => string];
const asItIs = (code: string) => code;
/** The other provider of an example that names two. */
const other = (code: string) => code.replace(/openai\(.*\), \/\/ or (.*)/, '$1,');
const six = (code: string) => code.replace("'ai'", "'ai-6'").replaceAll('@ai-sdk/', 'ai-6-');

/** The model says what it thinks, and the client names from then on what its provider keeps. */
const thinking = (code: string) =>
  code.replace(
    "model: openai('gpt-5.4'), // or anthropic('claude-sonnet-4-6')",
    "model: openai('gpt-5.4'), providerOptions: { openai: { reasoningEffort: 'low', reasoningSummary: 'auto' } },",
  );
const streaming = (code: string) =>
  code
    .replaceAll('generateText', 'streamText')
    .replace('const { text } = await streamText', 'const { text } = streamText')
    .replace('console.log(text)', 'console.log(await text)');

const BEFORE: Client[] = [
  ['ai 6 with OpenAI', 'AI SDK', 0, six],
  ['ai 6 with Anthropic', 'AI SDK', 0, (code) => six(other(code))],
  ['ai 6 with OpenAI, reasoning', 'AI SDK', 0, (code) => six(thinking(code))],
];

it.each<Client>([
  ['openai, chat completions', 'OpenAI SDK', 0, asItIs],
  ['openai, responses', 'OpenAI SDK', 1, asItIs],
  ['@openai/agents', 'OpenAI Agents SDK', 0, asItIs],
  ['@anthropic-ai/sdk, tool runner', 'Anthropic SDK', 0, asItIs],
  ['ai 7 with OpenAI', 'AI SDK', 0, asItIs],
  ['ai 7 with Anthropic', 'AI SDK', 0, other],
  ['ai 7 with OpenAI, reasoning', 'AI SDK', 0, thinking],
  ['ai 7 with OpenAI, reasoning, streamed', 'AI SDK', 0, (code) => streaming(thinking(code))],
  ['langchain with OpenAI', 'LangChain', 0, asItIs],
  ['langchain with Anthropic', 'LangChain', 0, other],
  ...BEFORE.slice(atScale({ brief: 3, short: 2, long: 0 })),
])(
  '%s works through what overflows its window many times',
  async (client, section, nth, changed) => {
    readLogs(CALLS.small);
    provider.window = WINDOWS.small;
    const printed = await runExample(changed(example(section, nth)), {
      url: service.url,
      logs: CALLS.small,
      environment: { OPENAI_BASE_URL: `${service.url}/v1` },
    });
    expect(printed.trim()).toBe(ANSWER);
    await expectWorked(WINDOWS.small, CALLS.small, client);
    const naming = provider.turns.filter(({ raw }) => raw.includes('"item_reference"'));
    expect(naming.length > 0).toBe(client.includes('reasoning'));
  },
  300_000,
);

/** What the SDK keeps of it goes into the log as well, into a session of its own. */
const kept = (code: string) =>
  `import { palimpsest } from 'palimpsest/claude-agent-sdk';\n${code.replace(
    'const options = {',
    "const options = {\n  sessionStore: palimpsest({ url: 'http://127.0.0.1:8787' }),",
  )}`;

it.each([
  ['by itself', asItIs, 0],
  ['with its transcript in our store', kept, 1],
] as const)(
  '@anthropic-ai/claude-agent-sdk works through what overflows its window many times: %s',
  async (_, changed, transcripts) => {
    readLogs(CALLS.large);
    provider.window = WINDOWS.large;
    const code = changed(example('Claude Agent SDK'));
    const printed = await runExample(code, { url: service.url, logs: CALLS.large });
    expect(printed.trim()).toBe(ANSWER);
    await expectWorked(WINDOWS.large, CALLS.large, '@anthropic-ai/claude-agent-sdk');
    const client = createClient({ url: service.url });
    const { data } = await client.listSessions({});
    const stored = data.filter(({ metadata }) => metadata.transcript !== undefined);
    expect(stored).toHaveLength(transcripts);
    for (const { id } of stored) {
      // Word for word, whatever was compacted in the other session.
      const read = new Set<string>();
      for await (const { item } of client.each('listItems', { id })) {
        for (const [name] of JSON.stringify(item).matchAll(/night-\d+\.log:249 step/g))
          read.add(name);
      }
      expect(read.size).toBe(CALLS.large);
    }
  },
  300_000,
);
