// An agent with Mastra whose context never overflows. It needs a service (npx palimpsest serve) and
//   npm install palimpsest @mastra/core@1 ai@6 @ai-sdk/openai@3 zod
// The inspector of the service, http://127.0.0.1:8787, shows the session "harbour-tower".
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { wrapLanguageModel } from 'ai';
import { palimpsest } from 'palimpsest/ai-sdk';
import { z } from 'zod';

const url = 'http://127.0.0.1:8787';
const openai = createOpenAI();

const model = wrapLanguageModel({
  model: openai.chat('gpt-4o-mini'),
  // This is the line.
  middleware: palimpsest({ url, session: 'harbour-tower', contextWindow: 10_000 }),
});

const readLog = createTool({
  id: 'read_log',
  description: 'reads one of the logs of the harbour tower',
  inputSchema: z.object({ step: z.number() }),
  execute: async ({ step }) => `log ${step}: ${'nothing unusual at the gate; '.repeat(250)}`,
});

const agent = new Agent({
  id: 'reader',
  name: 'reader',
  instructions: 'You read logs, all of them, and say what is unusual.',
  model,
  tools: { read_log: readLog },
});

const { steps } = await agent.generate('Read the logs of the harbour tower.', {
  maxSteps: 100,
});
console.log(`${steps.length} steps: ${steps.at(-1).text}`);
