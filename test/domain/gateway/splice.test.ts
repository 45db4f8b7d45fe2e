import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ssePieces, sseText } from '../../../src/api/gateway/sse.ts';
import { answerReader } from '../../../src/domain/gateway/answers/readers.ts';
import { PROTOCOLS, type Protocol } from '../../../src/domain/gateway/protocol.ts';
import { recallProtocol } from '../../../src/domain/gateway/recall/protocols.ts';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import { eventsOf } from '../../support/gateway/provider-answers.ts';

const OURS = 'palimpsest_recall';
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const said = fc.record({
  text: words,
  calls: fc.array(fc.constantFrom(OURS, 'read'), { maxLength: 3 }),
});

/** Cut into chunks anywhere, also inside of a character. */
async function* chunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

function dataOf(text: string): JsonObject[] {
  return text.split('\n\n').flatMap((frame) => {
    const line = frame.split('\n').find((each) => each.startsWith('data: {'));
    const json: unknown = line === undefined ? null : JSON.parse(line.slice(6));
    return isJsonObject(json) ? [json] : [];
  });
}

async function spliced(
  protocol: Protocol,
  rounds: readonly { text: string; calls: string[] }[],
  sizes: readonly number[],
): Promise<string> {
  const splice = recallProtocol(protocol).splice((name) => name === OURS);
  let sent = '';
  for (const [index, { text, calls }] of rounds.entries()) {
    if (index > 0) splice.next();
    const made = calls.map((name, place) => ({ id: `c${index}${place}`, name, input: { place } }));
    const figures = { input: 10 * (index + 1), output: 5 };
    const stream = eventsOf(protocol, `r${index}`, { text, calls: made }, figures).join('');
    for await (const piece of ssePieces(chunks(Buffer.from(stream), sizes))) {
      if (piece.kind === 'event') sent += splice.take(piece.event).map(sseText).join('');
    }
    expect(splice.round().isOver).toBe(true);
  }
  return sent + splice.end().map(sseText).join('');
}

it.each(PROTOCOLS)('%s: however streams are cut, the client sees one answer', async (protocol) => {
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });
  const rounds = fc.array(said, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(rounds, sizes, async (all, cuts) => {
      const text = await spliced(protocol, all, cuts);
      const events = dataOf(text);
      expect(text).not.toContain(OURS);
      const { items, isWhole } = answerReader(protocol).ofEvents(events);
      expect(isWhole).toBe(true);
      const told = JSON.stringify(items);
      const theirs = all.flatMap(({ calls }) => calls.filter((name) => name === 'read'));
      expect(told.split('"read"')).toHaveLength(theirs.length + 1);
      if (protocol === 'messages') {
        const begun = events.filter(({ type }) => type === 'content_block_start');
        expect(begun.map(({ index }) => index)).toEqual(begun.map((_, index) => index));
        expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(1);
        expect(events.filter(({ type }) => type === 'message_stop')).toHaveLength(1);
      }
      if (protocol === 'responses') {
        const numbers = events.map(({ sequence_number }) => sequence_number);
        expect(numbers).toEqual(numbers.map((_, index) => index));
        expect(events.filter(({ type }) => type === 'response.completed')).toHaveLength(1);
      }
      if (protocol === 'chat') {
        expect(text.split('[DONE]')).toHaveLength(2);
        expect(new Set(events.map(({ id }) => id)).size).toBe(1);
      }
    }),
    { numRuns: 60 },
  );
});

it('what was billed is summed up, the context is that of the last round', async () => {
  const rounds = [
    { text: 'One.', calls: [OURS] },
    { text: 'Two.', calls: [] },
  ];
  const text = await spliced('messages', rounds, [50]);
  const ending = dataOf(text).find(({ type }) => type === 'message_delta');
  expect(ending).toMatchObject({
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 20, output_tokens: 10, palimpsest_billed: { input_tokens: 30 } },
  });
});
