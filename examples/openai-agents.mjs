// An agent with the OpenAI Agents SDK whose context never overflows. It needs a service (npx palimpsest
// serve) and
//   npm install palimpsest @openai/agents zod
// The inspector of the service, http://127.0.0.1:8787, shows the session "south-tower".
import { Agent, OpenAIProvider, Runner, setDefaultModelProvider, tool } from '@openai/agents';
import { palimpsest } from 'palimpsest/openai-agents';
import { z } from 'zod';

const url = 'http://127.0.0.1:8787';
setDefaultModelProvider(new OpenAIProvider({ useResponses: false }));

const agent = new Agent({
  name: 'reader',
  instructions: 'You read logs, all of them, and say what is unusual.',
  model: 'gpt-4o-mini',
  tools: [
    tool({
      name: 'read_log',
      description: 'reads one of the logs of the south tower',
      parameters: z.object({ step: z.number() }),
      execute: async ({ step }) => `log ${step}: ${'nothing unusual at the gate; '.repeat(250)}`,
    }),
  ],
});

const { finalOutput } = await new Runner({ tracingDisabled: true }).run(
  agent,
  'Read the logs of the south tower.',
  // This is the line.
  { ...palimpsest({ url, session: 'south-tower', contextWindow: 10_000 }), maxTurns: 100 },
);
console.log(finalOutput);
