import { expect, it } from 'vitest';
import { refusalIn, saysTooLong, windowTold } from '../../../src/domain/gateway/too-long.ts';

it.each([
  ['prompt is too long: 208310 tokens > 200000 maximum', 200_000],
  ["This model's maximum context length is 128,000 tokens. However, you requested 130000", 128_000],
  ['Your input exceeds the context window of this model. context_length_exceeded', 800],
])('understands "%s"', (text, window) => {
  expect(saysTooLong(400, text)).toBe(true);
  expect(windowTold(text, 1000)).toBe(window);
});

it('takes no other refusal for that', () => {
  expect(saysTooLong(400, 'max_tokens must be at least 1')).toBe(false);
  expect(saysTooLong(429, 'prompt is too long')).toBe(false);
});

const event = (data: object, end = '\n\n') => `event: x\ndata: ${JSON.stringify(data)}${end}`;
const FAILED = {
  type: 'response.failed',
  response: { error: { code: 'context_length_exceeded' } },
};
const CREATED = { type: 'response.created', response: { status: 'in_progress', error: null } };

it.each([
  ['nothing', '', 'more'],
  ['what only announces an answer', event(CREATED) + event({ type: 'ping' }), 'more'],
  ['half of a failure', event(CREATED) + event(FAILED).slice(0, -9), 'more'],
  ['a failure', event(CREATED) + event(FAILED), 'too_long'],
  ['another failure', event({ type: 'error', error: { message: 'overloaded' } }), 'fine'],
  ['words about it', event({ choices: [{ delta: { content: 'prompt is too long' } }] }), 'fine'],
  ['an answer', event(CREATED) + event({ type: 'response.output_text.delta' }), 'fine'],
  ['other line ends', event(FAILED, '\r\n\r\n'), 'too_long'],
  ['what is no JSON', 'data: [DONE]\n\n', 'fine'],
])('reads the beginning of a stream: %s', (_, text, kind) => {
  expect(refusalIn(text, true, false).kind).toBe(kind);
});

it.each([
  ['{"status":"failed","error":{"code":"context_length_exceeded"}}', 'too_long'],
  ['{"status":"completed","output":[{"text":"prompt is too long"}]}', 'fine'],
  ['{"status":"failed","error":', 'fine'],
])('reads a whole body: %s', (text, kind) => {
  expect(refusalIn(text, false, true).kind).toBe(kind);
  expect(refusalIn(text, false, false).kind).toBe('more');
});
