import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CompactionJob, JobEngine, JobResult } from '../../src/workers/engines/job-engine.ts';

type Reported = { error: unknown; job: CompactionJob };
/** Makes an engine, not started, that runs `concurrency` jobs at a time and reports what throws. */
type MakeEngine = (options: {
  concurrency: number;
  onError: (error: unknown, job: CompactionJob) => void;
}) => JobEngine;

const DONE: JobResult = { kind: 'done' };
const LONG_MS = 60_000;

/** A promise that the test resolves. */
function deferred() {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

class Runs {
  readonly jobs: string[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  add(job: CompactionJob): void {
    this.jobs.push(job.compaction_id);
    for (const waiter of this.#waiters) if (this.jobs.length >= waiter.count) waiter.resolve();
  }

  /** Resolves once there were this many runs in all. */
  async reached(count: number): Promise<void> {
    if (this.jobs.length >= count) return;
    const { promise, resolve } = deferred();
    this.#waiters.push({ count, resolve });
    await promise;
  }
}

/** What every adapter of the `JobEngine` port must do (DESIGN, decision 10). */
export function jobEngineContract(name: string, makeEngine: MakeEngine): void {
  describe(`${name}: the job engine contract`, () => {
    const job = (compaction_id: string): CompactionJob => ({
      ref: { tenant: 'acme', session_id: 's' },
      compaction_id,
    });
    let engine: JobEngine;
    let runs: Runs;
    let reported: Reported[];
    let firstReport: ReturnType<typeof deferred>;
    beforeEach(() => {
      runs = new Runs();
      reported = [];
      firstReport = deferred();
      engine = makeEngine({
        concurrency: 2,
        onError: (error, failed) => {
          reported.push({ error, job: failed });
          firstReport.resolve();
        },
      });
    });
    afterEach(() => engine.stop(0));

    it('answers a ping', async () => {
      engine.start(async () => DONE);
      await expect(engine.ping()).resolves.toBeUndefined();
    });

    it('runs each job once, also one that was enqueued before the start', async () => {
      await engine.enqueue(job('early'));
      engine.start(async (given) => {
        runs.add(given);
        return DONE;
      });
      await engine.enqueue(job('late'));
      await runs.reached(2);
      await engine.stop(LONG_MS);
      expect(runs.jobs.toSorted()).toEqual(['early', 'late']);
    });

    it('does not run a job a second time while it is queued or running', async () => {
      const gate = deferred();
      await engine.enqueue(job('a'));
      await engine.enqueue(job('a'));
      engine.start(async (given) => {
        runs.add(given);
        await gate.promise;
        return DONE;
      });
      await runs.reached(1);
      await engine.enqueue(job('a'));
      gate.resolve();
      await engine.stop(LONG_MS);
      expect(runs.jobs).toEqual(['a']);
    });

    it('runs a job again that has ended and is enqueued again', async () => {
      const gates = [deferred(), deferred()];
      engine.start(async (given) => {
        runs.add(given);
        gates[runs.jobs.length - 1]?.resolve();
        return DONE;
      });
      await engine.enqueue(job('a'));
      await gates[0]?.promise;
      await untilAgain(engine, job('a'), runs, 2);
      expect(runs.jobs).toEqual(['a', 'a']);
    });

    it('runs a job again after the delay that its handler asks for', async () => {
      const started = performance.now();
      engine.start(async (given) => {
        runs.add(given);
        return runs.jobs.length < 3 ? { kind: 'retry', after_ms: 20 } : DONE;
      });
      await engine.enqueue(job('a'));
      await runs.reached(3);
      // Timers may fire a millisecond early.
      expect(performance.now() - started).toBeGreaterThanOrEqual(38);
      expect(runs.jobs).toEqual(['a', 'a', 'a']);
    });

    it('runs as many jobs at a time as it was told', async () => {
      const gate = deferred();
      let running = 0;
      let most = 0;
      engine.start(async (given) => {
        running += 1;
        most = Math.max(most, running);
        runs.add(given);
        if (runs.jobs.length < 3) await gate.promise;
        running -= 1;
        return DONE;
      });
      for (const id of ['a', 'b', 'c', 'd']) await engine.enqueue(job(id));
      await runs.reached(2);
      expect(runs.jobs).toHaveLength(2);
      gate.resolve();
      await runs.reached(4);
      expect(most).toBe(2);
    });

    it('hundreds of jobs of one tenant keep no other waiting, nor one that has fewer', async () => {
      const order: string[] = [];
      const ended = deferred();
      const of = (tenant: string, n: number) => ({
        ref: { tenant, session_id: `s-${n}` },
        compaction_id: `${tenant}-${n}`,
      });
      for (let n = 0; n < 300; n += 1) await engine.enqueue(of('red', n));
      for (let n = 0; n < 40; n += 1) await engine.enqueue(of('blue', n));
      await engine.enqueue(of('green', 0));
      engine.start(
        async ({ ref }) => {
          order.push(ref.tenant);
          if (order.length === 341) ended.resolve();
          return DONE;
        },
        async () => false,
      );
      await ended.promise;
      // Some come for nothing; then each has its turn.
      expect(order.indexOf('green')).toBeLessThan(60);
      expect(order.lastIndexOf('blue')).toBeLessThan(120);
    });

    it('cancel aborts the signal of that job alone', async () => {
      const aborted: string[] = [];
      const ended = deferred();
      const gate = deferred();
      engine.start(async (given, signal) => {
        signal.addEventListener('abort', () => {
          aborted.push(given.compaction_id);
          ended.resolve();
        });
        runs.add(given);
        await gate.promise;
        return DONE;
      });
      await engine.enqueue(job('a'));
      await engine.enqueue(job('b'));
      await runs.reached(2);
      engine.cancel('unknown');
      engine.cancel('a');
      await ended.promise;
      expect(aborted).toEqual(['a']);
      gate.resolve();
    });

    it.each(['waits', 'is about to be asked for'])(
      'cancel drops a retry that %s, and the job can come again',
      async (moment) => {
        const gate = deferred();
        engine.start(async (given) => {
          runs.add(given);
          await gate.promise;
          return runs.jobs.length === 1 ? { kind: 'retry', after_ms: LONG_MS } : DONE;
        });
        await engine.enqueue(job('a'));
        await runs.reached(1);
        if (moment !== 'waits') engine.cancel('a');
        gate.resolve();
        // All that the handler's end sets off has happened by then.
        await new Promise((resolve) => setImmediate(resolve));
        if (moment === 'waits') engine.cancel('a');
        await untilAgain(engine, job('a'), runs, 2);
        expect(runs.jobs).toEqual(['a', 'a']);
      },
    );

    it('survives a handler that throws, reports it, and takes the job again', async () => {
      const error = new Error('broken');
      engine.start(async (given) => {
        runs.add(given);
        if (runs.jobs.length === 1) throw error;
        return DONE;
      });
      await engine.enqueue(job('a'));
      await firstReport.promise;
      expect(reported).toEqual([{ error, job: job('a') }]);
      await untilAgain(engine, job('a'), runs, 2);
      await engine.enqueue(job('b'));
      // The job may have been asked for once more than it took for its second run.
      await expect.poll(() => runs.jobs).toContain('b');
      expect(runs.jobs.slice(0, 2)).toEqual(['a', 'a']);
    });

    it('stop waits for running jobs', async () => {
      const gate = deferred();
      let hasEnded = false;
      let wasAborted = true;
      engine.start(async (given, signal) => {
        runs.add(given);
        await gate.promise;
        wasAborted = signal.aborted;
        hasEnded = true;
        return DONE;
      });
      await engine.enqueue(job('a'));
      await runs.reached(1);
      const stopped = engine.stop(LONG_MS);
      gate.resolve();
      await stopped;
      expect({ hasEnded, wasAborted }).toEqual({ hasEnded: true, wasAborted: false });
    });

    it('stop aborts what goes on for longer than the grace, and starts nothing new', async () => {
      engine.start(async (given, signal) => {
        runs.add(given);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { kind: 'retry', after_ms: 0 };
      });
      for (const id of ['a', 'b', 'queued']) await engine.enqueue(job(id));
      await runs.reached(2);
      await engine.stop(1);
      expect(runs.jobs).toEqual(['a', 'b']);
    });

    it('can be stopped twice, and takes a cancel after that', async () => {
      engine.start(async () => DONE);
      await Promise.all([engine.stop(0), engine.stop(LONG_MS)]);
      expect(() => engine.cancel('a')).not.toThrow();
    });

    it('stop ends the wait for a retry', async () => {
      engine.start(async (given) => {
        runs.add(given);
        return { kind: 'retry', after_ms: LONG_MS };
      });
      await engine.enqueue(job('a'));
      await runs.reached(1);
      await engine.stop(LONG_MS);
      expect(runs.jobs).toEqual(['a']);
    });
  });
}

/** Enqueues until the run is there: a job may still be known for a moment after its handler ended. */
async function untilAgain(
  engine: JobEngine,
  job: CompactionJob,
  runs: Runs,
  count: number,
): Promise<void> {
  while (runs.jobs.length < count) {
    await engine.enqueue(job);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
