import { expect, it } from 'vitest';
import { readAnswer } from '../../../src/app/gateway/read-answer.ts';

const START = { type: 'message_start', message: { id: 'msg_1', model: 'm' } };
const BLOCK = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const said = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});
const END = [{ type: 'content_block_stop', index: 0 }, { type: 'message_stop' }];

const streamOf = (events: readonly (object | string)[]) =>
  events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');

const read = (text: string, isStream: boolean) =>
  readAnswer('messages', { bytes: Buffer.from(text), isStream, isWhole: true });

it.each([
  ['is no JSON', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"no'],
  ['is nested without end', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['holds a million values', `{"x":[${'1,'.repeat(1_000_000)}1]}`],
])('an answer breaks off at an event that %s', (_, event) => {
  const answer = read(
    streamOf([START, BLOCK, said('Do '), event, said('delete it'), ...END]),
    true,
  );
  expect(answer).toMatchObject({ isWhole: false, items: [{ content: [{ text: 'Do ' }] }] });
});

it('what is no event of a model leaves an answer whole', () => {
  const signs = ['', '[DONE]', 'ping'];
  const answer = read(streamOf([START, ...signs, BLOCK, said('Done.'), ...END, ...signs]), true);
  expect(answer).toMatchObject({ isWhole: true, items: [{ content: [{ text: 'Done.' }] }] });
});

it.each([
  ['nested without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['of a million values', `[${'1,'.repeat(1_000_000)}1]`],
])('a body %s is no answer', (_, json) => {
  const body = (content: string) =>
    `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"text","text":${content}}]}`;
  expect(read(body(json), false)).toBeNull();
  expect(read(body('"Done."'), false)).toMatchObject({ isWhole: true });
});
