import { Slices } from '../../app/slices.ts';
import { answerJson } from '../../domain/gateway/answer-json.ts';
import { EventStreamReader, type SsePiece } from '../../domain/gateway/event-stream.ts';
import type { StreamEvent } from '../../domain/gateway/recall/recall-protocol.ts';

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
  const reader = new EventStreamReader();
  const decoder = new TextDecoder('utf-8');
  // What has arrived already comes without a pause for others.
  const slices = new Slices();
  let held = 0;
  for await (const chunk of body) {
    const pieces = reader.read(decoder.decode(chunk, { stream: true }));
    held = pieces.some(({ kind }) => kind === 'event') ? 0 : held + chunk.byteLength;
    if (held > longest) throw new Error('an event of the answer is too long to be read');
    for (const piece of pieces) {
      yield piece;
      if (slices.isOver) await slices.next();
    }
    if (slices.isOver) await slices.next();
  }
  // The last one may lack the empty line behind it. Of one that is cut, clients know nothing either.
  for (const piece of reader.read(`${decoder.decode()}\n\n`)) {
    if (piece.kind !== 'event' || isWhole(piece.event.data)) yield piece;
  }
}

function isWhole(data: string): boolean {
  return !data.startsWith('{') || answerJson(data) !== null;
}

export function sseText({ name, data }: StreamEvent): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return `${name === undefined ? '' : `event: ${name}\n`}${lines.join('')}\n`;
}
