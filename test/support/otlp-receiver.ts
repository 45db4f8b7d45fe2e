import { createServer, type Server } from 'node:http';
import { z } from 'zod';
import { close, listen } from './listening.ts';

const attribute = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    intValue: z.union([z.string(), z.number()]).optional(),
    boolValue: z.boolean().optional(),
    doubleValue: z.number().optional(),
  }),
});
const attributes = z
  .array(attribute)
  .default([])
  .transform((list) =>
    Object.fromEntries(list.map(({ key, value }) => [key, String(Object.values(value)[0])])),
  );
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes,
  status: z.object({ code: z.int().optional(), message: z.string().optional() }).default({}),
});
const request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export type ReceivedSpan = z.infer<typeof span> & { role: string | undefined };

/** A collector for tests: a real HTTP server that takes OTLP as JSON at `/v1/traces`. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that was sent, as it came. */
  raw = '';
  readonly #server: Server;
  #url = '';

  private constructor(status: number) {
    this.#server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (incoming.url === '/v1/traces' && status === 200) this.#take(text);
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  /** `status`: what it answers; it takes nothing unless that is 200. */
  static async start(status = 200): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver(status);
    receiver.#url = await listen(receiver.#server);
    return receiver;
  }

  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return this.#url;
  }

  /** The spans that belong to another, in any depth. */
  within(root: ReceivedSpan): ReceivedSpan[] {
    const children = this.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    return children.flatMap((child) => [child, ...this.within(child)]);
  }

  close(): Promise<void> {
    return close(this.#server);
  }

  #take(text: string): void {
    this.raw += text;
    for (const { resource, scopeSpans } of request.parse(JSON.parse(text)).resourceSpans) {
      const role = resource.attributes['palimpsest.role'];
      for (const { spans } of scopeSpans)
        this.spans.push(...spans.map((one) => ({ ...one, role })));
    }
  }
}
