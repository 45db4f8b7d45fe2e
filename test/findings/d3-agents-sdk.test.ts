import {
  Agent,
  OpenAIResponsesCompactionSession,
  OpenAIResponsesModel,
  Runner,
} from '@openai/agents';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ofTokens } from '../support/items.ts';
import { answer } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { summaryAnswer } from '../support/summary-text.ts';

type ModelClient = ConstructorParameters<typeof OpenAIResponsesModel>[0];

/** The same for all services of the test: each opens what the others have closed. */
const SECRET = { PALIMPSEST_COMPACTION_SECRET: 'a secret of at least thirty-two characters' };
const TURNS = 12;
const fact = (turn: number) => `the code word no ${turn} is heliotrope${turn};`;

describe('D3: @openai/agents with compactionMode "input"', () => {
  let model: ScriptedModelServer;
  let summarizer: ScriptedModelServer;
  let fromTheLog: ServiceProcess;
  let withModel: ServiceProcess;
  beforeAll(async () => {
    model = await ScriptedModelServer.start();
    summarizer = await ScriptedModelServer.start();
    fromTheLog = await startService(SECRET);
    withModel = await startService({
      ...SECRET,
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: summarizer.openaiUrl,
      PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
    });
  });
  afterAll(async () => {
    await fromTheLog.dispose();
    await withModel.dispose();
    await model.close();
    await summarizer.close();
  });

  /** A session of the SDK with so many turns; answers when it was compacted, and what it holds. */
  async function converse(service: ServiceProcess) {
    // The package brings a client of its own, of the same shape.
    const clientOf = (baseURL: string) =>
      new OpenAI({ apiKey: 'any', baseURL, maxRetries: 0 }) as unknown as ModelClient;
    const compactions: number[] = [];
    let turn = 0;
    const session = new OpenAIResponsesCompactionSession({
      client: clientOf(`${service.url}/v1`),
      model: 'gpt-5.4',
      compactionMode: 'input',
      shouldTriggerCompaction: ({ compactionCandidateItems }) => {
        const isDue = compactionCandidateItems.length >= 3;
        if (isDue) compactions.push(turn);
        return isDue;
      },
    });
    const agent = new Agent({
      name: 'helper',
      model: new OpenAIResponsesModel(clientOf(model.openaiUrl), 'gpt-5.4'),
    });
    const runner = new Runner({ tracingDisabled: true });
    for (turn = 1; turn <= TURNS; turn++) {
      model.script(answer(`Noted number ${turn}. ${ofTokens(1_500)}`));
      await runner.run(agent, `Remember: ${fact(turn)} never forget it.`, { session });
    }
    return { compactions, items: await session.getItems() };
  }

  /** What a summariser is given to read when these items are compacted once more. */
  async function opened(items: readonly unknown[]): Promise<string> {
    summarizer.script(answer(summaryAnswer()));
    const client = new OpenAI({ apiKey: 'any', baseURL: `${withModel.url}/v1`, maxRetries: 0 });
    const long = { role: 'assistant', content: ofTokens(3_000) };
    const input = [...JSON.parse(JSON.stringify(items)), long];
    await client.responses.compact({ model: 'gpt-5.4', input });
    return JSON.stringify(summarizer.requests.at(-1)?.body.messages);
  }

  it('compacts again and again in one session, and loses nothing', async () => {
    const { compactions, items } = await converse(fromTheLog);
    expect(compactions.length).toBeGreaterThanOrEqual(3);
    expect(items.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    expect(items[0]?.type).toBe('compaction');
    // The last request to the model held the compaction item and nothing twice.
    const sent = JSON.stringify(model.requests.at(-1)?.body.input);
    expect(sent.split(fact(TURNS)).length - 1).toBe(1);

    const text = await opened(items);
    for (let turn = 1; turn <= TURNS; turn++) expect(text).toContain(fact(turn));
  });

  it('gives each summary of a model to the next', async () => {
    const before = summarizer.requests.length;
    for (let n = 0; n < TURNS; n++) summarizer.script(answer(summaryAnswer(`This is mark ${n}.`)));
    const { compactions } = await converse(withModel);
    const requests = summarizer.requests.slice(before).map(({ body }) => JSON.stringify(body));
    expect(requests).toHaveLength(compactions.length);
    expect(compactions.length).toBeGreaterThanOrEqual(3);
    expect(requests[0]).toContain(fact(1));
    for (const [n, request] of requests.entries()) {
      if (n > 0) expect(request).toContain(`This is mark ${n - 1}.`);
    }
  });
});
