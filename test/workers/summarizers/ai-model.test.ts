import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extractSummaryText } from '../../../src/domain/compaction/summary.ts';
import type { ModelRequest } from '../../../src/workers/summarizers/text-model.ts';
import { textModel } from '../../../src/workers/summarizers/text-models.ts';
import {
  answer,
  cut,
  empty,
  gate,
  hang,
  slow,
  status,
  streamError,
  tooLong,
  truncated,
  unfinished,
} from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';

const SECRET = 'sk-secret-key';
const PROMPT = 'PRIVATE conversation about src/server.ts';
const LONG = 'A summary that is long enough to come in several chunks, one after the other.';

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(() => server.close());

function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'SYSTEM',
    prompt: PROMPT,
    max_output_tokens: 500,
    timeout_ms: 30_000,
    signal: new AbortController().signal,
    ...overrides,
  };
}

describe.each([
  ['openai', 'openai/gpt-4o-mini', '/v1/chat/completions'],
  ['anthropic', 'anthropic/claude-haiku-4-5', '/v1/messages'],
  ['openai-compatible', 'openai-compatible/qwen3', '/v1/chat/completions'],
])('model summariser of %s', (provider, name, path) => {
  function summarizer() {
    return textModel(name, {
      OPENAI_API_KEY: SECRET,
      OPENAI_BASE_URL: server.openaiUrl,
      ANTHROPIC_API_KEY: SECRET,
      ANTHROPIC_BASE_URL: server.anthropicUrl,
    });
  }

  it('streams the answer and reports the tokens', async () => {
    server.script(answer(LONG));
    // 6 + 1 + 40 characters of request are 12 tokens, a quarter of them from the cache.
    expect(await summarizer().ask(request())).toEqual({
      ok: true,
      text: LONG,
      is_cut_off: false,
      model: name,
      usage: { input: 9, output: Math.ceil(LONG.length / 4), cache_read: 3, cache_creation: 0 },
    });
    expect(server.requests).toHaveLength(1);
    const [sent] = server.requests;
    expect(sent?.path).toBe(path);
    expect(sent?.body.stream).toBe(true);
    expect(sent?.body.max_tokens).toBe(500);
    expect(sent?.body.thinking).toBeUndefined();
    expect(JSON.stringify(sent?.headers)).toContain(SECRET);
  });

  it('reads the default answer of the scripted server as a summary', async () => {
    const result = await summarizer().ask(request());
    expect(result.ok && extractSummaryText(result.text)).toMatchObject({ ok: true });
    expect(result.ok && result.text).toContain('src/server.ts');
  });

  it('waits for a slow answer', async () => {
    const slowGate = gate();
    server.script(slow(LONG, slowGate.promise));
    const pending = summarizer().ask(request());
    await server.received(1);
    slowGate.open();
    expect(await pending).toMatchObject({ ok: true, text: LONG });
  });

  it('says of an answer that it reached the token limit', async () => {
    server.script(truncated(LONG));
    expect(await summarizer().ask(request())).toMatchObject({
      ok: true,
      text: LONG,
      is_cut_off: true,
    });
  });

  it('gives up an answer that goes on behind its limit', { timeout: 180_000 }, async () => {
    server.script(answer('A loop without an end. '.repeat(18_000)));
    const result = await summarizer().ask(request());
    expect(result).toMatchObject({ ok: true, is_cut_off: true, model: name });
    expect(result.ok && result.text.length).toBe(400_000);
    await server.received(1);
  });

  it('reports an empty answer', async () => {
    server.script(empty());
    expect(await summarizer().ask(request())).toEqual({
      ok: false,
      reason: 'no_summary',
      message: `${provider}: the model returned no text`,
      retryable: true,
      usage: { input: 9, output: 0, cache_read: 3, cache_creation: 0 },
    });
  });

  it.each([
    ['cut before the first chunk', cut(LONG, 0)],
    ['cut in the middle', cut(LONG, 2)],
    ['ended without a finish reason', unfinished(LONG)],
    ['broken by an error event', streamError()],
  ])('reports a stream that was %s', async (_name, behaviour) => {
    server.script(behaviour);
    expect(await summarizer().ask(request())).toMatchObject({
      ok: false,
      reason: 'api_error',
      retryable: true,
    });
  });

  it.each([429, 500, 503, 529])('reports status %i as retryable', async (code) => {
    server.script(status(code));
    expect(await summarizer().ask(request())).toEqual({
      ok: false,
      reason: 'api_error',
      message: `${provider}: the call failed (HTTP ${code})`,
      retryable: true,
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 401, 403, 404])('reports status %i as final', async (code) => {
    server.script(status(code, { retryAfter: 3 }));
    expect(await summarizer().ask(request())).toEqual({
      ok: false,
      reason: 'api_error',
      message: `${provider}: the call failed (HTTP ${code})`,
      retryable: false,
    });
  });

  it('passes on how long the provider asks to wait', async () => {
    server.script(
      status(429, { retryAfter: 7 }),
      status(529, { headers: { 'retry-after-ms': '1500' } }),
    );
    expect(await summarizer().ask(request())).toMatchObject({ retry_after_ms: 7_000 });
    expect(await summarizer().ask(request())).toMatchObject({ retry_after_ms: 1_500 });
  });

  it.each([
    ['in words', tooLong()],
    ['by status 413', status(413)],
  ])('recognises a prompt that is too long %s', async (_name, behaviour) => {
    server.script(behaviour);
    expect(await summarizer().ask(request())).toMatchObject({
      ok: false,
      reason: 'prompt_too_long',
      retryable: false,
    });
  });

  it('is interrupted by its signal', async () => {
    server.script(hang(), slow(LONG, new Promise(() => {})));
    for (const count of [1, 2]) {
      const controller = new AbortController();
      const pending = summarizer().ask(request({ signal: controller.signal }));
      await server.received(count);
      controller.abort();
      expect(await pending).toEqual({
        ok: false,
        reason: 'interrupted',
        message: `${provider}: the call was interrupted`,
        retryable: true,
      });
    }
  });

  it('sends nothing when the signal was aborted before', async () => {
    const result = await summarizer().ask(request({ signal: AbortSignal.abort() }));
    expect(result).toMatchObject({ ok: false, reason: 'interrupted' });
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['answers nothing', hang()],
    ['stops in the middle', slow(LONG, new Promise(() => {}))],
  ])('times out when the provider %s', async (_name, behaviour) => {
    server.script(behaviour);
    expect(await summarizer().ask(request({ timeout_ms: 150 }))).toMatchObject({
      ok: false,
      reason: 'timeout',
      retryable: true,
    });
  });

  it('reports a server that cannot be reached', async () => {
    const { openaiUrl, anthropicUrl } = server;
    await server.close();
    const unreachable = textModel(name, {
      OPENAI_API_KEY: SECRET,
      OPENAI_BASE_URL: openaiUrl,
      ANTHROPIC_API_KEY: SECRET,
      ANTHROPIC_BASE_URL: anthropicUrl,
    });
    server = await ScriptedModelServer.start();
    expect(await unreachable.ask(request())).toEqual({
      ok: false,
      reason: 'api_error',
      message: `${provider}: the connection failed or broke`,
      retryable: true,
    });
  });

  it('never repeats request, answer or key in a failure', async () => {
    const behaviours = [status(400), status(500), tooLong(), streamError(), cut(LONG, 1)];
    server.script(...behaviours);
    for (const _ of behaviours) {
      const result = JSON.stringify(await summarizer().ask(request()));
      expect(result).toContain('"ok":false');
      expect(result).not.toMatch(/PRIVATE|secret|beginning|scripted/);
    }
  });
});
