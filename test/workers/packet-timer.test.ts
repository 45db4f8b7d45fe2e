import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore, SessionRef } from '../../src/app/ports/event-store.ts';
import { StoreUnavailableError } from '../../src/app/ports/store-unavailable-error.ts';
import { packetRequested } from '../../src/domain/session/packet-commands.ts';
import type { CompactionJob } from '../../src/workers/engines/job-engine.ts';
import { PacketTimer, type PacketTimerDependencies } from '../../src/workers/packet-timer.ts';
import { append } from '../contracts/session-events.ts';
import { attributionOf } from '../support/event-data.ts';
import { AT, configWith, created, NOW } from '../support/given.ts';
import { openTestStore } from '../support/open-test-store.ts';

const DUE = attributionOf('turn_complete', { tier: 'ready', percent_remaining: 60 });
const PROMPT = { version: 'packet@1', text: 'Write it.' };
const DEADLINE = NOW + 300_000;
const ref = (session_id: string): SessionRef => ({ tenant: 'acme', session_id });

let store: EventStore;
let errors: unknown[];
let dispatched: CompactionJob[];
let timers: PacketTimer[];

beforeEach(async () => {
  errors = [];
  dispatched = [];
  timers = [];
  store = await openTestStore();
});
afterEach(async () => {
  for (const timer of timers) await timer.stop();
  await store.close();
});

/** A timer whose clock stands still; ids are `p1`, `p2`, … */
function timerAt(nowMs: number, through: PacketTimerDependencies['store'] = store): PacketTimer {
  let ids = 0;
  const timer = new PacketTimer({
    world: { server: {}, tokenizers: {} },
    store: through,
    dispatch: (job) => dispatched.push(job),
    now: () => new Date(nowMs),
    newId: () => {
      ids += 1;
      return `p${ids}`;
    },
    onError: (error) => errors.push(error),
  });
  timers.push(timer);
  return timer;
}

/** Sessions that wait for a packet until `DEADLINE`. */
async function waiting(...sessions: string[]): Promise<void> {
  for (const session of sessions) {
    const asked = packetRequested(configWith(), DUE, PROMPT, NOW);
    await store.commit(
      ref(session),
      append(created({ profile: 'rawr', config: { packet_author: 'agent' } }), asked),
      { at: AT },
    );
  }
}

async function typesOf(session: string): Promise<string[]> {
  return (await store.events(ref(session))).map(({ type }) => type);
}

/** The store with some commits going wrong. */
function failing(session: string, error: Error): PacketTimerDependencies['store'] {
  return {
    due: (nowMs, limit) => store.due(nowMs, limit),
    commit: (of, decide, options) =>
      of.session_id === session ? Promise.reject(error) : store.commit(of, decide, options),
  };
}

describe('PacketTimer', () => {
  it('ends every wait that is overdue, and hands the compactions over', async () => {
    await waiting('a', 'b');
    await timerAt(DEADLINE).endOverdue();
    expect(dispatched).toEqual([
      { ref: ref('a'), compaction_id: 'p1' },
      { ref: ref('b'), compaction_id: 'p2' },
    ]);
    expect(await typesOf('a')).toEqual([
      'session.created',
      'packet.requested',
      'packet.received',
      'compaction.requested',
    ]);
  });

  it('does nothing before the deadline, and nothing twice', async () => {
    await waiting('a');
    await timerAt(DEADLINE - 1).endOverdue();
    expect(dispatched).toEqual([]);
    await Promise.all([timerAt(DEADLINE).endOverdue(), timerAt(DEADLINE).endOverdue()]);
    expect(dispatched).toEqual([{ ref: ref('a'), compaction_id: 'p1' }]);
    expect(await typesOf('a')).toHaveLength(4);
  });

  it('ends the wait of one session at its deadline, without a round', async () => {
    await waiting('a');
    const timer = timerAt(DEADLINE);
    timer.await(ref('a'), DEADLINE);
    timer.await(ref('a'), DEADLINE);
    await expect.poll(() => dispatched).toEqual([{ ref: ref('a'), compaction_id: 'p1' }]);
  });

  it('takes up by itself what other processes have asked for', async () => {
    await waiting('a');
    timerAt(DEADLINE).start(60_000);
    await expect.poll(() => dispatched).toEqual([{ ref: ref('a'), compaction_id: 'p1' }]);
  });

  it('passes over sessions that were erased', async () => {
    await waiting('a');
    await store.erase(ref('a'));
    const timer = timerAt(DEADLINE);
    timer.await(ref('a'), DEADLINE);
    await timer.endOverdue();
    await timer.stop();
    expect([dispatched, errors]).toEqual([[], []]);
  });

  it('goes on with the others when one session cannot be written', async () => {
    await waiting('a', 'b');
    const broken = new Error('damaged');
    await timerAt(DEADLINE, failing('a', broken)).endOverdue();
    expect(errors).toEqual([broken]);
    expect(dispatched.map((job) => job.ref.session_id)).toEqual(['b']);
  });

  it('leaves the round when the store is away', async () => {
    await waiting('a', 'b');
    const away = new StoreUnavailableError('not_written', new Error('gone'));
    await timerAt(DEADLINE, failing('a', away)).endOverdue();
    expect(errors).toEqual([away]);
    expect(dispatched).toEqual([]);
  });

  it('ends nothing once it is stopped', async () => {
    await waiting('a');
    const timer = timerAt(DEADLINE);
    timer.await(ref('a'), DEADLINE);
    await timer.stop();
    timer.await(ref('a'), DEADLINE);
    await timer.endOverdue();
    expect(await typesOf('a')).toHaveLength(2);
  });
});
