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

it('an answer that has said its end is whole, whoever closes the connection first', () => {
  const end = 'data: {"choices": [], "usage": {"prompt_tokens": 1}}\n\ndata: [DONE]\n\n';
  expect(read(`${STREAM}\n\n${end}`, false)).toMatchObject({ isWhole: true });
  // Its usage, or more of it, may have been on its way.
  expect(read(`${STREAM}\n\n`, false)).toMatchObject({ isWhole: false });
  const events = [
    {
      type: 'response.output_item.done',
      item: { type: 'message', role: 'assistant', content: [] },
    },
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed' } },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const responses = (text: string) =>
    readAnswer('responses', { bytes: Buffer.from(text), isStream: true, isWhole: false });
  expect(responses(events.join(''))).toMatchObject({ isWhole: true });
  expect(responses(events.join('').trimEnd())).toMatchObject({ isWhole: false });
});
