import { expect, it } from 'vitest';
import {
  refusalInBody,
  refusalInEvent,
  saysTooLong,
  windowTold,
} from '../../../src/domain/gateway/too-long.ts';

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

const FAILED = {
  type: 'response.failed',
  response: { error: { code: 'context_length_exceeded' } },
};
const CREATED = { type: 'response.created', response: { status: 'in_progress', error: null } };

it.each([
  ['what only announces an answer', JSON.stringify(CREATED), 'more'],
  ['a sign that it is still there', '{"type":"ping"}', 'more'],
  ['half of a failure', JSON.stringify(FAILED).slice(0, -9), 'fine'],
  ['a failure', JSON.stringify(FAILED), 'too_long'],
  ['another failure', '{"type":"error","error":{"message":"overloaded"}}', 'fine'],
  ['words about it', '{"choices":[{"delta":{"content":"prompt is too long"}}]}', 'fine'],
  ['an answer', '{"type":"response.output_text.delta"}', 'fine'],
  ['what is no JSON', '[DONE]', 'fine'],
])('reads an event at the beginning of a stream: %s', (_, data, kind) => {
  expect(refusalInEvent(data).kind).toBe(kind);
});

it.each([
  ['{"status":"failed","error":{"code":"context_length_exceeded"}}', 'too_long'],
  ['{"status":"completed","output":[{"text":"prompt is too long"}]}', 'fine'],
  ['{"status":"failed","error":', 'fine'],
])('reads a whole body: %s', (text, kind) => {
  expect(refusalInBody(text).kind).toBe(kind);
});
