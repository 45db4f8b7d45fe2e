import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventStreamReader } from '../../../src/domain/gateway/event-stream.ts';
import type { StreamEvent } from '../../../src/domain/gateway/recall/recall-protocol.ts';
import { cpuMs } from '../../support/cpu-time.ts';

function eventsIn(chunks: readonly string[]): StreamEvent[] {
  const reader = new EventStreamReader();
  return chunks
    .flatMap((chunk) => reader.read(chunk))
    .flatMap((piece) => (piece.kind === 'event' ? [piece.event] : []));
}

it('reads what the parser of the Agents SDKs reads, however the text is cut', () => {
  const words = ['data', 'event', 'id', ':', ': ', ' ', 'x', '{"a":1}', '\n', '\n\n', '\r\n', '\r'];
  const chunks = fc.array(fc.array(fc.constantFrom(...words)).map((some) => some.join('')));
  fc.assert(
    fc.property(chunks, (cut) => {
      const expected: StreamEvent[] = [];
      const parser = createParser({
        onEvent: ({ event: name, data }) => expected.push({ name, data }),
      });
      parser.feed(`${cut.join('')}\n\n`);
      expect(eventsIn([...cut, '\n', '\n'])).toEqual(expected);
    }),
  );
});

it('ends a line once where the two signs of its end come in two chunks', () => {
  const events = eventsIn(['data: a\r', '\ndata: b\r', '\n\r', '\n', 'data: c\n\n']);
  expect(events.map(({ data }) => data)).toEqual(['a\nb', 'c']);
});

it('tells comments in a row as one', () => {
  expect(new EventStreamReader().read(': a\n:b\n\n:c\ndata: d\n\n')).toEqual([
    { kind: 'comment', text: 'a\n:b\n:c' },
    { kind: 'event', event: { name: undefined, data: 'd' } },
  ]);
});

it.each(['a\n', 'data: x\n', ':x\n', '\n', '\r', 'id: \0\n', 'retry: x\n'])(
  'reads any number of lines %j in little time',
  (line) => {
    const chunk = line.repeat(Math.ceil(65_536 / line.length));
    const started = cpuMs();
    eventsIn(Array.from({ length: 40 }, () => chunk));
    expect(cpuMs() - started).toBeLessThan(2_000);
  },
);
