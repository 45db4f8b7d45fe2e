// An agent with LangChain whose context never overflows. It needs a service (npx palimpsest serve) and
//   npm install palimpsest langchain @langchain/core @langchain/openai zod
// The inspector of the service, http://127.0.0.1:8787, shows the session "west-tower".
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { palimpsest } from 'palimpsest/langchain';
import { z } from 'zod';

const url = 'http://127.0.0.1:8787';

const readLog = tool(
  async ({ step }) => `log ${step}: ${'nothing unusual at the gate; '.repeat(250)}`,
  {
    name: 'read_log',
    description: 'reads one of the logs of the west tower',
    schema: z.object({ step: z.number() }),
  },
);

const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-4o-mini' }),
  tools: [readLog],
  systemPrompt: 'You read logs, all of them, and say what is unusual.',
  // This is the line.
  middleware: [palimpsest({ url, session: 'west-tower', contextWindow: 10_000 })],
});

const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: 'Read the logs of the west tower.' }] },
  { recursionLimit: 500 },
);
console.log(messages.at(-1).text);
