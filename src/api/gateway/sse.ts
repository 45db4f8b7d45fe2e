import { createParser } from 'eventsource-parser';
import type { StreamEvent } from '../../domain/gateway/recall/recall-protocol.ts';

/** A comment, which keeps a connection alive, as it came. */
export type SsePiece = { kind: 'event'; event: StreamEvent } | { kind: 'comment'; text: string };

/** The events of a stream as they come, however it is cut into chunks. */
export async function* ssePieces(body: AsyncIterable<Buffer>): AsyncGenerator<SsePiece> {
  const pieces: SsePiece[] = [];
  const parser = createParser({
    onEvent: ({ event: name, data }) => pieces.push({ kind: 'event', event: { name, data } }),
    onComment: (text) => pieces.push({ kind: 'comment', text }),
  });
  const decoder = new TextDecoder('utf-8');
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* pieces.splice(0);
  }
  // The last one may lack the empty line behind it.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* pieces.splice(0);
}

export function sseText({ name, data }: StreamEvent): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return `${name === undefined ? '' : `event: ${name}\n`}${lines.join('')}\n`;
}
