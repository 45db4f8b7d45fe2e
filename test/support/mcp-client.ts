import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

/** What a tool has answered: its text, and whether it is an error. */
export type Told = { text: string; isError: boolean };

export type McpClient = {
  client: Client;
  call: (name: string, args?: object, meta?: object) => Promise<Told>;
  close: () => Promise<void>;
};

/** The SDK's own client. Not a test file. */
export async function connectMcp(transport: Transport): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return {
    client,
    call: async (name, args = {}, meta) => {
      const params = { name, arguments: { ...args }, ...(meta && { _meta: { ...meta } }) };
      const result = await client.request({ method: 'tools/call', params }, CallToolResultSchema);
      const texts = result.content.map((part) => (part.type === 'text' ? part.text : part.type));
      return { text: texts.join('\n'), isError: result.isError === true };
    },
    close: () => client.close(),
  };
}

export function overHttp(url: string, headers: Record<string, string> = {}): Promise<McpClient> {
  // Its optional fields are typed in another way than those of the interface that it implements.
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return connectMcp(transport as unknown as Transport);
}
