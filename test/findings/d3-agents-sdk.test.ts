import {
  Agent,
  OpenAIResponsesCompactionSession,
  OpenAIResponsesModel,
  Runner,
} from '@openai/agents';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

type ModelClient = ConstructorParameters<typeof OpenAIResponsesModel>[0];

describe('D3: @openai/agents with compactionMode "input"', () => {
  let model: ScriptedModelServer;
  let service: ServiceProcess;
  beforeAll(async () => {
    model = await ScriptedModelServer.start();
    service = await startService();
  });
  afterAll(async () => {
    await service.dispose();
    await model.close();
  });

  it('compacts again and again in one session, and loses nothing', async () => {
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
    for (turn = 1; turn <= 12; turn++) {
      model.script(answer(`Noted number ${turn}.`));
      await runner.run(agent, `Remember the code word no ${turn}: heliotrope${turn}.`, { session });
    }
    expect(compactions.length).toBeGreaterThanOrEqual(3);
    const items = await session.getItems();
    expect(items.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    const first = items[0];
    expect(first?.type).toBe('compaction');

    // All that was said can be had back from what the client has kept.
    const raw = (value: unknown) => JSON.parse(JSON.stringify(value));
    const kept = raw(first);
    const client = new OpenAI({ apiKey: 'any', baseURL: `${service.url}/v1` });
    const again = await client.responses.compact({
      model: 'gpt-5.4',
      input: [{ type: 'compaction', encrypted_content: kept.encrypted_content }],
    });
    const [item] = again.output;
    expect(item?.type).toBe('compaction');
    // The last request to the model held the compaction item and nothing twice.
    const sent = JSON.stringify(model.requests.at(-1)?.body.input);
    expect(sent.split('heliotrope12').length - 1).toBe(1);
  });
});
