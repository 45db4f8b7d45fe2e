import { expect, it } from 'vitest';
import { readAnswer } from '../../../src/app/gateway/read-answer.ts';

const STREAM = [
  { id: 'a', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'Yes.' } }] },
  { id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
  .map((event) => `data: ${JSON.stringify(event)}`)
  .join('\n\n');

const read = (text: string, isWhole: boolean) =>
  readAnswer('chat', { bytes: Buffer.from(text), isStream: true, isWhole });

it.each(['', '\n', '\n\n'])('an answer whose last event ends with %j is whole', (end) => {
  expect(read(STREAM + end, true)).toMatchObject({ isWhole: true, items: [{ content: 'Yes.' }] });
});

it('a last event that is cut was never there', () => {
  expect(read(`${STREAM}\n\ndata: {"usage": {"pro`, true)).toMatchObject({ isWhole: true });
  expect(read(STREAM.slice(0, -4), true)).toMatchObject({ isWhole: false });
  expect(read(STREAM, false)).toMatchObject({ isWhole: false });
});
