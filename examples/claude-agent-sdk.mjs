// An agent with the Claude Agent SDK whose transcript is kept in the log: it stops, and goes on in
// another folder or on another machine. It needs a service (npx palimpsest serve) and
//   npm install palimpsest @anthropic-ai/claude-agent-sdk zod
// Run it again with the id that it prints to go on. The inspector of the service,
// http://127.0.0.1:8787, shows the session under that id.
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { palimpsest } from 'palimpsest/claude-agent-sdk';
import { z } from 'zod';

const url = 'http://127.0.0.1:8787';
const [resume] = process.argv.slice(2);

const readLog = tool(
  'read_log',
  'reads one of the logs of the east tower',
  { step: z.number() },
  async ({ step }) => {
    const text = `log ${step}: ${'nothing unusual at the gate; '.repeat(250)}`;
    return { content: [{ type: 'text', text }] };
  },
);

const prompt = resume ? 'And what was in the first log?' : 'Read the logs of the east tower.';
const messages = query({
  prompt,
  options: {
    // This is the line.
    sessionStore: palimpsest({ url }),
    ...(resume && { resume }),
    systemPrompt: 'You read logs, all of them, and say what is unusual.',
    mcpServers: { logs: createSdkMcpServer({ name: 'logs', tools: [readLog] }) },
    allowedTools: ['mcp__logs__read_log'],
  },
});
for await (const message of messages) {
  if (message.subtype === 'mirror_error') console.error(`not kept: ${message.error}`);
  if (message.type === 'result') console.log(`${message.session_id}: ${message.result}`);
}
