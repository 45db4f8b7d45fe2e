import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTracing } from '../../src/tracing/open-tracing.ts';
import { type SentSpan, tracerOfThread } from '../../src/tracing/span-of-thread.ts';
import { tracedEngine } from '../../src/tracing/traced-engine.ts';
import type { Tracing } from '../../src/tracing/tracing.ts';
import {
  type CompactionJob,
  DONE,
  type JobEngine,
  type JobHandler,
} from '../../src/workers/engines/job-engine.ts';
import { OtlpReceiver } from '../support/otlp-receiver.ts';

const JOB: CompactionJob = { ref: { tenant: 't', session_id: 's' }, compaction_id: 'c' };
const LOG = pino({ level: 'silent' });

/** An engine that refuses as often as it is told to, and runs a job when it is told to. */
class FakeEngine implements JobEngine {
  readonly taken: CompactionJob[] = [];
  refusals = 0;
  #handler: JobHandler = async () => DONE;

  start(handler: JobHandler): void {
    this.#handler = handler;
  }
  async enqueue(job: CompactionJob): Promise<void> {
    if (this.refusals > 0) {
      this.refusals -= 1;
      throw new Error('the queue is away');
    }
    this.taken.push(job);
  }
  run(job: CompactionJob) {
    return this.#handler(job, new AbortController().signal);
  }
  cancel(): void {}
  async ping(): Promise<void> {}
  async stop(): Promise<void> {}
}

let collector: OtlpReceiver;
let tracing: Tracing;
beforeAll(async () => {
  collector = await OtlpReceiver.start();
  tracing = await openTracing(
    { tracing: { url: `${collector.url}/v1/traces`, service_name: 'test' }, role: 'all' },
    LOG,
  );
});
afterAll(async () => {
  await tracing.close();
  await collector.close();
});

describe('the way of a job', () => {
  test('is told once, by the request that its first dispatch could not serve', async () => {
    const { tracer } = tracing;
    const engine = new FakeEngine();
    const traced = tracedEngine(engine, tracer);
    engine.refusals = 1;
    const request = await tracer.span('request', {}, async () => {
      await traced.enqueue(JOB).catch(() => {});
      return tracer.current();
    });
    const traceOf = (parent: string | undefined) => parent?.split('-')[1];
    // A round of the dispatcher, after which others hand over what runs already.
    await traced.enqueue(JOB);
    await traced.enqueue(JOB);
    const [first, second] = engine.taken.map(({ trace }) => traceOf(trace));
    expect([first, second]).toEqual([traceOf(request), undefined]);
    // A worker of an older release, or one that found it in the log.
    let within: string | undefined;
    traced.start(async () => {
      within = tracer.current();
      return DONE;
    });
    await engine.run(JOB);
    expect([typeof within, traceOf(within) === traceOf(request)]).toEqual(['string', false]);
  });

  test('goes on in a thread, whose spans its process sends', async () => {
    const { tracer } = tracing;
    const sent: SentSpan[] = [];
    const inThread = tracerOfThread((span) => sent.push(structuredClone(span)));
    const parent = await tracer.span('process', {}, async () => tracer.current());
    await inThread.within(parent, () =>
      inThread.span('thread', { facts: { 'palimpsest.outcome': 'ok' } }, async () => {}),
    );
    for (const span of sent) tracing.take(span);
    expect(sent.map(({ context }) => context.traceId)).toEqual([parent?.split('-')[1]]);
  });

  test('that throws has failed, without its words', async () => {
    const { tracer } = tracing;
    const run = async () => {
      await delay(1);
      throw new RangeError('what the user said');
    };
    await expect(tracer.span('broken', {}, run)).rejects.toThrow('what the user said');
  });

  test('arrives at the collector', async () => {
    await tracing.close();
    const named = (name: string) => collector.spans.find((span) => span.name === name);
    expect(named('thread')).toMatchObject({
      parentSpanId: named('process')?.spanId,
      role: 'all',
      attributes: { 'palimpsest.outcome': 'ok' },
    });
    expect(named('broken')).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'RangeError' },
    });
    expect(collector.raw).not.toContain('what the user said');
    expect(collector.raw).toContain('"stringValue":"test"');
  });
});

test('a collector that takes nothing is told of once, and keeps nobody', async () => {
  const refusing = await OtlpReceiver.start(400);
  const log = pino({ level: 'silent' });
  const warn = vi.spyOn(log, 'warn');
  const settings = { url: `${refusing.url}/v1/traces`, service_name: 'test' };
  const own = await openTracing({ tracing: settings, role: 'all' }, log);
  await own.tracer.span('one', {}, async () => {});
  await own.close();
  expect(warn.mock.calls).toEqual([
    ['the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take traces'],
  ]);
  await refusing.close();
});

test('attributes that OpenTelemetry takes for all come with each trace', async () => {
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment=staging');
  const receiver = await OtlpReceiver.start();
  const settings = { url: `${receiver.url}/v1/traces`, service_name: 'test' };
  const own = await openTracing({ tracing: settings, role: 'all' }, LOG);
  await own.tracer.span('one', {}, async () => {});
  await own.close();
  expect(receiver.raw).toContain('"key":"deployment.environment"');
  expect(receiver.raw).toContain('"stringValue":"test"');
  await receiver.close();
  vi.unstubAllEnvs();
});

test('without a collector nothing of OpenTelemetry is loaded', async () => {
  const { isOn, tracer } = await openTracing({ tracing: null, role: 'all' }, LOG);
  expect([isOn, await tracer.span('x', {}, async () => tracer.current())]).toEqual([
    false,
    undefined,
  ]);
});
