import { expect, it } from 'vitest';
import { ssePieces } from '../../../src/api/gateway/sse.ts';

async function* repeated(text: string, times: number): AsyncGenerator<Buffer> {
  for (let time = 0; time < times; time++) yield Buffer.from(text);
}

async function eventsOf(body: AsyncIterable<Buffer>): Promise<number> {
  let events = 0;
  for await (const { kind } of ssePieces(body, 1_000)) if (kind === 'event') events++;
  return events;
}

it('reads a stream of any length whose events end', async () => {
  expect(await eventsOf(repeated(`data: ${'x'.repeat(900)}\n\n`, 100))).toBe(100);
});

it.each([
  ['whose line does not end', 'x'.repeat(100)],
  ['of many lines, comments between them', `data: ${'x'.repeat(90)}\n: still here\n`],
])('gives up an event %s', async (_, text) => {
  const body = repeated(text, 1_000);
  await expect(eventsOf(body)).rejects.toThrow('an event of the answer is too long to be read');
  // What would have come was not read any more.
  expect((await body.next()).done).toBe(true);
});

it.each(['a\n', ':x\n', 'data: {}\n\n'])(
  'lets others have their turn while ever more of %j has arrived',
  async (line) => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const text = line.repeat(20_000);
    const end = performance.now() + 20_000;
    // As much as it takes: a fast machine reads more of it within a slice.
    const arriving = async function* () {
      while (turns <= 3 && performance.now() < end) yield Buffer.from(text);
    };
    for await (const _ of ssePieces(arriving(), Number.POSITIVE_INFINITY)) turns += 0;
    isOver = true;
    expect(turns).toBeGreaterThan(3);
  },
);
