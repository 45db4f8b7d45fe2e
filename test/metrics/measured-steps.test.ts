import { pino } from 'pino';
import { expect, test } from 'vitest';
import { UNTRACED } from '../../src/app/ports/tracer.ts';
import { measuredSteps } from '../../src/metrics/measured-steps.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { observeSteps } from '../../src/observe-steps.ts';
import { summarise } from '../../src/workers/compaction/summarise.ts';
import type { Summarizer, Task, WrittenText } from '../../src/workers/summarizers/summarizer.ts';

type Answer = Awaited<ReturnType<Summarizer<WrittenText>['summarize']>>;

const failed = (reason: 'api_error' | 'timeout'): Answer => ({
  ok: false,
  reason,
  message: 'no',
  retryable: true,
});
const written = { ok: true, kind: 'text', summary: { text: 'It works.' } } as unknown as Answer;
// No summariser of this test looks at it.
const TASK = {} as Task;

test('a call of a model that failed is told as a warning, so that an expired key is seen', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const observe = observeSteps(log, UNTRACED);
  const now = () => new Date();
  for (const answer of [written, failed('api_error')]) {
    const summarizer = {
      kind: 'asking',
      name: 'openai/gpt',
      summarize: async () => answer,
    } as const;
    await summarise({ now, observe }, summarizer, TASK, new AbortController().signal);
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, step: 'model call', model: 'openai/gpt', outcome: 'api_error' },
  ]);
});

test('each call of a model is counted, by provider and model, with what came of it', async () => {
  const { record, page } = openMetrics(async () => []);
  const observe = measuredSteps(observeSteps(pino({ level: 'silent' }), UNTRACED), record);
  const now = () => new Date();
  const ask = (name: string, answer: Answer, kind: 'asking' | 'offline' = 'asking') => {
    const summarizer = { kind, name, summarize: async () => answer } as const;
    return summarise({ now, observe }, summarizer, TASK, new AbortController().signal);
  };
  await ask('openrouter/meta/llama', written);
  await ask('openrouter/meta/llama', failed('timeout'));
  await ask('openrouter/meta/llama', failed('timeout'));
  await ask('anthropic/claude', failed('api_error'));
  await ask('remote', failed('api_error'));
  await ask('extractive', written, 'offline');
  const lines = (await page()).text.split('\n').filter((line) => /^palimpsest_model_c/.test(line));
  expect(lines).toEqual([
    'palimpsest_model_calls_total{provider="openrouter",model="openrouter/meta/llama",outcome="ok"} 1',
    'palimpsest_model_calls_total{provider="openrouter",model="openrouter/meta/llama",outcome="timeout"} 2',
    'palimpsest_model_calls_total{provider="anthropic",model="anthropic/claude",outcome="api_error"} 1',
    'palimpsest_model_calls_total{provider="remote",model="remote",outcome="api_error"} 1',
  ]);
});
