// An agent with the AI SDK whose context never overflows. It needs a service (npx palimpsest serve) and
//   npm install palimpsest ai@6 @ai-sdk/openai@3 zod
// The inspector of the service, http://127.0.0.1:8787, shows the session "north-tower".
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { palimpsest } from 'palimpsest/ai-sdk';
import { z } from 'zod';

const url = 'http://127.0.0.1:8787';
const openai = createOpenAI();

const model = wrapLanguageModel({
  model: openai.chat('gpt-4o-mini'),
  // This is the line.
  middleware: palimpsest({ url, session: 'north-tower', contextWindow: 10_000 }),
});

const readLog = tool({
  description: 'reads one of the logs of the north tower',
  inputSchema: z.object({ step: z.number() }),
  execute: async ({ step }) => `log ${step}: ${'nothing unusual at the gate; '.repeat(250)}`,
});

const { text, steps } = await generateText({
  model,
  system: 'You read logs, all of them, and say what is unusual.',
  prompt: 'Read the logs of the north tower.',
  tools: { read_log: readLog },
  stopWhen: stepCountIs(100),
});
console.log(`${steps.length} steps: ${text}`);
