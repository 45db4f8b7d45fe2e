import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { remoteCompactor } from '../../../src/workers/summarizers/remote/remote-compactor.ts';
import { textModel } from '../../../src/workers/summarizers/text-models.ts';
import { close, listen } from '../../support/listening.ts';

/** Never ends by itself; its status is the first part of the path. */
const endless = createServer((request, response) => {
  request.resume();
  response.writeHead(Number(request.url?.split('/')[1]), { 'Content-Type': 'text/event-stream' });
  const piece = Buffer.alloc(1_000_000, 'a');
  const write = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
});
let origin = '';
beforeAll(async () => {
  origin = await listen(endless);
});
afterAll(() => close(endless));

const environment = (status: number) => ({
  OPENAI_API_KEY: 'k',
  OPENAI_BASE_URL: `${origin}/${status}`,
});
const signal = new AbortController().signal;
const tooLong = {
  ok: false,
  reason: 'api_error',
  message: 'openai: the answer is far too long, and was not read to its end',
  retryable: false,
};

/** No more of it is read than its beginning, where providers say what is wrong. */
const refused = { ...tooLong, message: 'openai: the call failed (HTTP 400)' };

test.each([
  [200, tooLong],
  [400, refused],
])('an answer without an end, with status %s, is given up by its length', async (status, given) => {
  const compact = remoteCompactor(environment(status));
  const request = { model: 'm', input: [], instructions: null, timeout_ms: 30_000, signal };
  expect(await compact(request)).toEqual(given);
  const model = textModel('openai/m', environment(status));
  const asked = { system: 's', prompt: 'p', max_output_tokens: 10, timeout_ms: 30_000, signal };
  expect(await model.ask(asked)).toMatchObject({ ok: false, retryable: false });
});
