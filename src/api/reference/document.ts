import { readFile } from 'node:fs/promises';
import { z } from '@hono/zod-openapi';
import type { Api } from '../http/endpoint.ts';

/** By operation; test/api/reference-requests.test.ts writes them, and keeps them true. */
const EXAMPLES = new URL('./examples.json', import.meta.url);
const examplesSchema = z.record(
  z.string(),
  z.object({ status: z.int(), type: z.string(), body: z.json() }),
);

type OperationObject = {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { example?: unknown }> }>;
};

/** The OpenAPI 3.1 document of everything that was registered, as JSON. */
export async function openApiDocument(app: Api['app'], version: string): Promise<string> {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Palimpsest',
      version,
      description:
        'Keeps the conversations of LLM agents inside their context window without losing anything.',
      license: { name: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Sessions', description: 'One conversation each.' },
      { name: 'Items', description: 'The log of a conversation.' },
      { name: 'Context', description: 'What goes to the model now.' },
      { name: 'Compactions', description: 'What was done to make room.' },
      { name: 'Signals', description: 'Where a turn stands, and how to go on after it.' },
      { name: 'Events', description: 'Everything that happened.' },
      { name: 'Profiles', description: 'Named sets of configuration defaults.' },
      { name: 'OpenAI-compatible', description: 'For clients of the OpenAI API.' },
      { name: 'Service', description: 'Liveness and readiness.' },
    ],
  });
  const examples = examplesSchema.parse(JSON.parse(await readFile(EXAMPLES, 'utf8')));
  for (const operation of Object.values(document.paths ?? {}).flatMap(Object.values)) {
    addExample(operation, examples);
  }
  return JSON.stringify(document);
}

/** The answer of an operation to the request that the document shows for it. */
function addExample(
  { operationId, responses }: OperationObject,
  examples: z.infer<typeof examplesSchema>,
): void {
  const shown = examples[operationId ?? ''];
  if (shown === undefined) return;
  const media = responses?.[shown.status]?.content?.[shown.type];
  if (media !== undefined) media.example = shown.body;
}
