import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';

const itemSchema = z.looseObject({ role: z.enum(['user', 'assistant']), content: z.string() });

/**
 * The least that an append can cost on this stack: JSON, a schema, and `insert`, which answers once
 * the row is durable. No log, no tokens, no keys. Prints the address, as the service does.
 */
export function serveBaseline(
  insert: (session: string, seq: number, data: string) => Promise<void>,
): void {
  const lengths = new Map<string, number>();
  const app = new Hono();
  app.post('/sessions/:id/items', async (c) => {
    const item = itemSchema.parse(await c.req.json());
    const session = c.req.param('id');
    const seq = (lengths.get(session) ?? 0) + 1;
    lengths.set(session, seq);
    await insert(session, seq, JSON.stringify(item));
    return c.json({ seq }, 201);
  });
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
    console.log(`listening on http://127.0.0.1:${port}`);
  });
}
