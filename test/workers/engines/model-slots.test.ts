import { beforeEach, describe, expect, it } from 'vitest';
import type { CompactionJob } from '../../../src/workers/engines/job-engine.ts';
import { ModelSlots } from '../../../src/workers/engines/model-slots.ts';

/** `red-1`: the first job of red. */
const job = (compaction_id: string): CompactionJob => {
  const tenant = compaction_id.split('-')[0] ?? '';
  return { ref: { tenant, session_id: compaction_id }, compaction_id };
};

describe('the slots for models', () => {
  let now: number;
  let slots: ModelSlots;
  const open = (concurrency: number) => {
    now = 0;
    slots = new ModelSlots(concurrency, () => now);
  };
  const enters = (id: string) => slots.enter(job(id)) === null;
  beforeEach(() => open(2));

  it('one tenant may have all of them, and no more', () => {
    expect(['red-1', 'red-2', 'red-3'].map(enters)).toEqual([true, true, false]);
    slots.leave(job('red-1'));
    expect(enters('red-3')).toBe(true);
  });

  it.each([1, 2, 5])('one more of %s is there for a tenant that has none', (concurrency) => {
    open(concurrency);
    for (let n = 0; n < concurrency; n++) expect(enters(`red-${n}`)).toBe(true);
    expect(['red-more', 'blue-1', 'blue-2', 'green-1'].map(enters)).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it('tenants take turns, however many jobs one of them has', () => {
    open(1);
    const order: string[] = [];
    const waiting = ['red-1', 'red-2', 'red-3', 'red-4', 'blue-1', 'blue-2', 'green-1'];
    const running = waiting.filter(enters);
    for (let rounds = 0; running.length > 0 && rounds < 20; rounds++) {
      const ended = running.shift() ?? '';
      order.push(ended);
      slots.leave(job(ended));
      const next = slots.next()?.compaction_id;
      if (next === undefined) continue;
      expect(enters(next)).toBe(true);
      running.push(next);
    }
    expect(order).toEqual(['red-1', 'blue-1', 'green-1', 'red-2', 'blue-2', 'red-3', 'red-4']);
  });

  it('a newcomer does not go before a job of its tenant, or a tenant, that waits', () => {
    open(1);
    for (const id of ['red-1', 'blue-1', 'red-2', 'green-1']) enters(id);
    slots.leave(job('red-1'));
    expect(['red-3', 'red-2', 'green-1'].map(enters)).toEqual([false, false, true]);
    slots.leave(job('blue-1'));
    expect(['red-3', 'red-2'].map(enters)).toEqual([false, true]);
  });

  it('who does not ask again is forgotten, and holds up nobody', () => {
    open(1);
    for (const id of ['red-1', 'blue-1', 'red-2', 'green-1']) enters(id);
    slots.leave(job('red-1'));
    expect(enters('red-3')).toBe(false);
    now = 10_000;
    expect(enters('red-3')).toBe(true);
  });

  it('who is cancelled while it waits is passed over', () => {
    open(1);
    for (const id of ['red-1', 'red-2', 'red-3']) enters(id);
    slots.forget(job('red-2'));
    slots.leave(job('red-1'));
    expect(slots.next()?.compaction_id).toBe('red-3');
  });

  it('nothing is answered where there is no room, or nobody waits', () => {
    expect(slots.next()).toBeNull();
    for (const id of ['red-1', 'red-2', 'red-3']) enters(id);
    expect(slots.next()).toBeNull();
  });

  it('many that wait ask less often', () => {
    const first = Array.from({ length: 3 }, (_, n) => slots.enter(job(`red-${n}`)));
    expect(first).toEqual([null, null, 500]);
    for (let n = 3; n < 1_001; n++) slots.enter(job(`red-${n}`));
    expect(slots.enter(job('red-1001'))).toBe(10_000);
  });
});
