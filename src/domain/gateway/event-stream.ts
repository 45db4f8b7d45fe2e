import type { StreamEvent } from './recall/recall-protocol.ts';

/**
 * An event; a comment, which keeps a connection alive, as it came, several in a row as lines of one; or any
 * other line, such as those of a body that is no stream.
 */
export type SsePiece =
  | { kind: 'event'; event: StreamEvent }
  | { kind: 'comment'; text: string }
  | { kind: 'line'; text: string };

const LINE_END = /\r\n?|\n/g;

/**
 * Server-sent events from a text that comes in chunks, however it is cut, in time that grows with its
 * length alone: a line that is none of theirs costs no more than any other, and one that does not end is
 * looked at once.
 */
export class EventStreamReader {
  /** Pieces of the line that has not ended. */
  #line: string[] = [];
  #name: string | undefined;
  #data: string[] = [];
  /** A line feed behind a carriage return ends no second line, though it may come in the next chunk. */
  #isBehindReturn = false;

  read(chunk: string): SsePiece[] {
    if (chunk === '') return [];
    const pieces: SsePiece[] = [];
    let from = this.#isBehindReturn && chunk.startsWith('\n') ? 1 : 0;
    LINE_END.lastIndex = from;
    for (let end = LINE_END.exec(chunk); end !== null; end = LINE_END.exec(chunk)) {
      const rest = chunk.slice(from, end.index);
      this.#take(this.#line.length === 0 ? rest : this.#line.join('') + rest, pieces);
      this.#line = [];
      from = end.index + end[0].length;
    }
    if (from < chunk.length) this.#line.push(chunk.slice(from));
    this.#isBehindReturn = chunk.endsWith('\r');
    return pieces;
  }

  #take(line: string, pieces: SsePiece[]): void {
    if (line === '') {
      const event = { name: this.#name, data: this.#data.join('\n') };
      if (this.#data.length > 0) pieces.push({ kind: 'event', event });
      this.#name = undefined;
      this.#data = [];
    } else if (line.startsWith(':')) {
      const last = pieces.at(-1);
      const text = behindBlank(line.slice(1));
      if (last?.kind === 'comment') last.text += `\n:${text}`;
      else pieces.push({ kind: 'comment', text });
    } else {
      const colon = line.indexOf(':');
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : behindBlank(line.slice(colon + 1));
      if (field === 'data') this.#data.push(value);
      else if (field === 'event') this.#name = value === '' ? undefined : value;
      else pieces.push({ kind: 'line', text: line });
    }
  }
}

function behindBlank(text: string): string {
  return text.startsWith(' ') ? text.slice(1) : text;
}
