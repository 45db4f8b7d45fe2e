import { APICallError, InvalidPromptError, JSONParseError } from 'ai';
import { describe, expect, it } from 'vitest';
import { callFailure, retryAfterMs } from '../../../src/workers/summarizers/failures.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '1200.5', 'retry-after': '9' }, 1_201],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('%j is %s', (headers, wait) => {
    expect(retryAfterMs(headers as Record<string, string>, NOW)).toBe(wait); // a union of literals
  });
});

describe('callFailure', () => {
  const coded = (code: string) => Object.assign(new Error('broken'), { code });
  const failed = (statusCode: number | undefined, responseBody: string) =>
    new APICallError({
      message: 'failed',
      url: 'http://x',
      requestBodyValues: {},
      ...(statusCode === undefined ? {} : { statusCode }),
      responseBody,
    });

  it.each([
    ['OpenAI', failed(400, '{"error":{"code":"context_length_exceeded"}}')],
    ['Anthropic', failed(400, 'prompt is too long: 210000 tokens > 200000 maximum')],
    ['Google', failed(400, 'The input token count (1200000) exceeds the maximum number of tokens')],
    ['vLLM', failed(400, "This model's maximum context length is 4096 tokens.")],
    ['llama.cpp', failed(400, 'the request exceeds the available context size, try increasing it')],
    ['any, by status', failed(413, '')],
    ['an error event in a stream', { error: { code: 'context_length_exceeded' } }],
    ['an error text in a stream', 'prompt is too long'],
  ])('reads "too long" from %s', (_name, error) => {
    expect(callFailure(error, 'p', NOW)).toMatchObject({
      reason: 'prompt_too_long',
      retryable: false,
    });
  });

  it.each([
    ['400', failed(400, 'bad'), false],
    ['422', failed(422, 'bad'), false],
    ['408', failed(408, ''), true],
    ['409', failed(409, ''), true],
    ['an answer that cannot be read', failed(200, '<html>'), true],
    ['a network error', new TypeError('fetch failed'), true],
    ['a broken stream', new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') }), true],
    ['a reset connection', coded('ECONNRESET'), true],
    [
      'a cause far inside',
      new Error('x', { cause: new Error('y', { cause: coded('EPIPE') }) }),
      true,
    ],
    ['a call without an answer', failed(undefined, ''), true],
    ['a chunk that cannot be read', new JSONParseError({ text: '{', cause: undefined }), true],
    ['an error object in a stream', { type: 'overloaded_error' }, true],
    ['nothing at all', undefined, true],
    ['a mistake of ours', new TypeError('x is not a function'), false],
    ['a prompt that the SDK refuses', new InvalidPromptError({ prompt: 1, message: 'bad' }), false],
    ['a file error', coded('ENOENT'), false],
  ])('%s: retryable %s', (_name, error, retryable) => {
    expect(callFailure(error, 'p', NOW)).toMatchObject({ reason: 'api_error', retryable });
  });

  it('names a mistake of ours without its text', () => {
    expect(callFailure(new RangeError('PRIVATE words'), 'p', NOW)).toEqual({
      ok: false,
      reason: 'api_error',
      message: 'p: the call could not be made (RangeError)',
      retryable: false,
    });
  });
});
