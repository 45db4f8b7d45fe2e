import { createParser } from 'eventsource-parser';
import type { StreamEvent } from '../../domain/gateway/recall/recall-protocol.ts';
import { jsonObjectIn } from '../../domain/json.ts';

/** A comment, which keeps a connection alive, as it came. */
export type SsePiece = { kind: 'event'; event: StreamEvent } | { kind: 'comment'; text: string };

/** What an event may take, in bytes, before it has come whole: until then all of it is held. */
const LONGEST_EVENT = 32 * 1024 * 1024;

/**
 * The events of a stream as they come, however it is cut into chunks. Throws where one does not end
 * within `longest` bytes.
 */
export async function* ssePieces(
  body: AsyncIterable<Buffer>,
  longest = LONGEST_EVENT,
): AsyncGenerator<SsePiece> {
  const pieces: SsePiece[] = [];
  const parser = createParser({
    onEvent: ({ event: name, data }) => pieces.push({ kind: 'event', event: { name, data } }),
    onComment: (text) => pieces.push({ kind: 'comment', text }),
  });
  const decoder = new TextDecoder('utf-8');
  let held = 0;
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    held = pieces.some(({ kind }) => kind === 'event') ? 0 : held + chunk.byteLength;
    if (held > longest) throw new Error('an event of the answer is too long to be read');
    yield* pieces.splice(0);
  }
  // The last one may lack the empty line behind it. Of one that is cut, clients know nothing either.
  parser.feed(`${decoder.decode()}\n\n`);
  for (const piece of pieces.splice(0)) {
    if (piece.kind === 'comment' || isWhole(piece.event.data)) yield piece;
  }
}

function isWhole(data: string): boolean {
  return !data.startsWith('{') || jsonObjectIn(data) !== null;
}

export function sseText({ name, data }: StreamEvent): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return `${name === undefined ? '' : `event: ${name}\n`}${lines.join('')}\n`;
}
