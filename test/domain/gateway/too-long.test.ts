import { expect, it } from 'vitest';
import { saysTooLong, windowTold } from '../../../src/domain/gateway/too-long.ts';

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
