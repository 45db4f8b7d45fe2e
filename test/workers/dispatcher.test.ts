import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore, SessionRef } from '../../src/app/ports/event-store.ts';
import { Dispatcher } from '../../src/workers/dispatcher.ts';
import { InProcessEngine } from '../../src/workers/engines/in-process-engine.ts';
import type { CompactionJob, JobEngine } from '../../src/workers/engines/job-engine.ts';
import { append } from '../contracts/session-events.ts';
import { AT, cancelled, created, requested } from '../support/given.ts';
import { openTestStore } from '../support/open-test-store.ts';

let store: EventStore;
let engine: JobEngine;
let errors: unknown[];
const ref = (session_id: string): SessionRef => ({ tenant: 'acme', session_id });
const job = (session: string, compaction_id: string) => ({ ref: ref(session), compaction_id });

beforeEach(async () => {
  errors = [];
  store = await openTestStore();
  engine = new InProcessEngine({ concurrency: 1, onError: (error) => errors.push(error) });
});
afterEach(async () => {
  await engine.stop(0);
  await store.close();
});

/** Starts the engine; resolves with the jobs once this many were handed to the handler. */
function handled(count: number): Promise<CompactionJob[]> {
  const jobs: CompactionJob[] = [];
  return new Promise((resolve) =>
    engine.start(async (given) => {
      jobs.push(given);
      if (jobs.length === count) resolve(jobs);
      return { kind: 'done' };
    }),
  );
}

async function commit(session: string, id: string, isEnded: boolean): Promise<void> {
  const end = isEnded ? [cancelled(id)] : [];
  const events = [created(), requested({ compaction_id: id }), ...end];
  await store.commit(ref(session), append(...events), { at: AT });
}

describe('Dispatcher', () => {
  it('hands over all that has not ended; doing it twice is harmless', async () => {
    await commit('a', 'c1', false);
    await commit('b', 'c2', true);
    await commit('c', 'c3', false);
    const dispatcher = new Dispatcher(store, engine, (error) => errors.push(error));
    expect(await dispatcher.handOverPending()).toBe(2);
    expect(await dispatcher.handOverPending()).toBe(2);
    expect(await handled(2)).toEqual([job('a', 'c1'), job('c', 'c3')]);
    expect(errors).toEqual([]);
  });

  it('dispatch hands one over', async () => {
    const dispatcher = new Dispatcher(store, engine, (error) => errors.push(error));
    dispatcher.dispatch(job('a', 'c1'));
    expect(await handled(1)).toEqual([job('a', 'c1')]);
  });

  it('takes up by itself what nobody dispatched, until it is stopped', async () => {
    const dispatcher = new Dispatcher(store, engine, (error) => errors.push(error));
    await commit('a', 'c1', false);
    dispatcher.start(1);
    expect(await handled(1)).toEqual([job('a', 'c1')]);
    dispatcher.stop();
  });

  it('reports what goes wrong instead of throwing', async () => {
    const broken = new Error('no connection');
    const reported = new Promise((resolve) => {
      const failing: JobEngine = Object.assign(Object.create(engine), {
        enqueue: () => Promise.reject(broken),
      });
      new Dispatcher(store, failing, resolve).dispatch(job('a', 'c1'));
    });
    expect(await reported).toBe(broken);
  });

  it('reports a round that breaks off, and goes on with the next', async () => {
    await commit('a', 'c1', false);
    const broken = new Error('no connection');
    let isBroken = true;
    const failing: JobEngine = Object.assign(Object.create(engine), {
      enqueue: (given: CompactionJob) =>
        isBroken ? Promise.reject(broken) : engine.enqueue(given),
    });
    const dispatcher = new Dispatcher(store, failing, (error) => errors.push(error));
    expect(await dispatcher.handOverPending()).toBe(0);
    expect(errors).toEqual([broken]);
    isBroken = false;
    expect(await dispatcher.handOverPending()).toBe(1);
    expect(await handled(1)).toEqual([job('a', 'c1')]);
  });
});
