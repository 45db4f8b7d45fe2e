import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remoteCompactor } from '../../../src/workers/summarizers/remote/remote-compactor.ts';
import { textModel } from '../../../src/workers/summarizers/text-models.ts';
import { close, listen } from '../../support/listening.ts';

let answer: (response: ServerResponse, path: string) => void = () => {};
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => answer(response, request.url ?? ''));
});
let environment: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  environment = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${await listen(server)}/v1` };
});
afterAll(() => close(server));

const { signal } = new AbortController();
const limits = { timeout_ms: 60_000, signal };

const streamed = (response: ServerResponse) =>
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const choice = (delta: object, finish_reason: string | null = null) =>
  event({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] });
const brackets = (count: number) => `[${'{},'.repeat(count)}{}]`;

describe('a model that writes summaries', () => {
  const ask = () =>
    textModel('openai/m', environment).ask({
      ...limits,
      system: 's',
      prompt: 'p',
      max_output_tokens: 100_000,
    });
  const tooLong = {
    ok: false,
    retryable: false,
    message: 'openai: the answer is far too long, and was not read to its end',
  };

  it.each([
    ['on one line', `data: {"choices":${brackets(200_000)}}\n\n`],
    ['on many lines', `data: {"choices":[\r\n${'data: {},\r\n'.repeat(200_000)}data: {}]}\r\n\r\n`],
  ])('an event of far too many values is not parsed: %s', async (_where, text) => {
    answer = (response) => streamed(response).end(text);
    expect(await ask()).toMatchObject(tooLong);
  });

  it.each(['\n', '\r\n'])('many events have as many values as they want: %j', async (end) => {
    const lists = Array.from({ length: 3_000 }, () => choice({ content: 'a, b, [c], {d},\n' }));
    answer = (response) =>
      streamed(response).end([...lists, choice({}, 'stop')].join('').replaceAll('\n', end));
    expect(await ask()).toMatchObject({ ok: true, text: 'a, b, [c], {d},\n'.repeat(3_000) });
  });

  it('what comes behind an event that cannot be read is not waited for', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    answer = (response) => {
      closed = once(response, 'close');
      streamed(response).write(event({ type: 'response.in_progress' }));
    };
    expect(await ask()).toMatchObject({ ok: false });
    await closed;
  });
});

describe("a provider's own compaction", () => {
  const compact = () =>
    remoteCompactor(environment)({ ...limits, model: 'm', input: [], instructions: null });
  const tooMany = {
    ok: false,
    retryable: false,
    message: 'openai: the answer holds more than 400000 JSON values',
  };
  const byTrigger = (text: string) => {
    answer = (response, path) => {
      if (path.endsWith('/compact')) response.writeHead(404).end();
      else streamed(response).end(text);
    };
  };
  const COMPLETED = event({ type: 'response.completed', response: {} });

  it('is not parsed where it holds far too many values', async () => {
    answer = (response) => response.end(`{"output":${brackets(300_000)}}`);
    expect(await compact()).toMatchObject(tooMany);
  });

  it.each([
    ['an item', `data: {"type":"response.output_item.done","item":${brackets(300_000)}}\n\n`],
    ['progress', `data: {"type":"response.in_progress","item":${brackets(300_000)}}\n\n`],
    [
      'all items',
      `data: {"type":"response.output_item.done","item":${brackets(50_000)}}\n\n`.repeat(5),
    ],
  ])('is not taken where events do: %s', async (_which, text) => {
    byTrigger(text + COMPLETED);
    expect(await compact()).toMatchObject(tooMany);
  });

  it('is taken where its end tells all items again', async () => {
    const item = { values: Array.from({ length: 250_000 }, () => 1) };
    const response = { output: [item] };
    byTrigger(
      event({ type: 'response.output_item.done', item }) +
        event({ type: 'response.completed', response }),
    );
    expect(await compact()).toMatchObject({ ok: true, output: [item] });
  });
});
