import { describe, expect, it } from 'vitest';
import type { Fault } from '../soak/faults.ts';
import { tableOf, verdictOf } from '../soak/report.ts';
import { soak } from '../soak/soak.ts';
import { atScale } from '../support/scale.ts';
import { seedFrom } from '../support/seeded-random.ts';

const PROCESSES: readonly Fault[] = [
  'worker killed',
  'all workers killed',
  'api killed',
  'killed while starting',
];

describe('processes are killed at random while clients write', () => {
  it.each([
    ['sqlite', atScale({ brief: 2, short: 6, long: 25 })],
    ['postgres', atScale({ brief: 2, short: 6, long: 35 })],
  ] as const)(
    'BullMQ and %s: nothing is lost or doubled in %d kills',
    async (store, kills) => {
      const report = await soak({
        store,
        queue: 'bullmq',
        seed: seedFrom('FAULT_SEED'),
        clients: 4,
        sessions: 3,
        faults: PROCESSES,
        duration_ms: 0,
        least_kills: kills,
        quiet_ms: 500,
      });
      console.log(tableOf(report));
      expect(report.problems).toEqual([]);
      expect(verdictOf(report, kills)).toBeNull();
      // A kill has cut off attempts: without that, nothing was tested.
      expect(report.events('compaction.started')).toBeGreaterThan(
        report.events('compaction.requested'),
      );
    },
    600_000,
  );
});
