import { describe, expect, inject, it } from 'vitest';
import { atScale } from '../support/scale.ts';
import { seedFrom } from '../support/seeded-random.ts';
import { FAULTS, type Fault } from './faults.ts';
import { readOptions } from './options.ts';
import { tableOf, verdictOf } from './report.ts';
import { type SoakReport, soak } from './soak.ts';

const report: SoakReport = {
  seed: 1,
  seconds: 300,
  lost: 0,
  duplicated: 0,
  problems: [],
  verified: true,
  deeds: () => 10,
  acknowledged_items: 10,
  kills: new Map([['worker', 30]]),
  killed: 30,
  faults: new Map([['worker killed', 30]]),
  events: () => 5,
};

const MINUTES = atScale({ brief: 0.1, short: 0.1, long: 1 });
const KILLS = atScale({ brief: 3, short: 8, long: 16 });
/** In brief one process on one file; Redis and PostgreSQL are killed in the chaos run. */
const [LAYOUT, POSSIBLE]: [string[], readonly Fault[]] =
  inject('scale') === 'brief'
    ? [
        ['--store', 'sqlite', '--queue', 'in-process', '--sessions', '3'],
        ['api killed', 'killed while starting'],
      ]
    : [[], FAULTS];

describe('a soak', () => {
  it('with every fault that its layout can have loses nothing and doubles nothing', async () => {
    const seed = seedFrom('SOAK_SEED');
    const options = readOptions(['--minutes', String(MINUTES), ...LAYOUT], () => seed);
    const found = await soak({ ...options, least_kills: KILLS });
    console.log(tableOf(found));
    expect(found.problems).toEqual([]);
    expect(verdictOf(found, KILLS)).toBeNull();
    expect([...found.faults.keys()].toSorted()).toEqual(POSSIBLE.toSorted());
  }, 600_000);

  it.each([
    ['', {}],
    ['1 problems', { lost: 1, problems: ['an item is not in the log'] }],
    ['1 problems', { duplicated: 1, problems: ['an item is in the log twice'] }],
    ['1 problems', { problems: ['verify: 1 problems'] }],
    ['0 problems', { verified: false }],
    ['only 29 kills', { killed: 29 }],
    ['nothing was acknowledged', { acknowledged_items: 0 }],
    ['nothing was compacted', { events: () => 0 }],
  ])('has the verdict "%s" for %j', (verdict, change) => {
    const said = verdictOf({ ...report, ...change }, 30);
    if (verdict === '') expect(said).toBeNull();
    else expect(said).toContain(verdict);
  });

  it('shows its totals', () => {
    const table = tableOf(report);
    for (const name of ['requests', 'kills', 'compactions', 'lost', 'duplicated']) {
      expect(table).toMatch(new RegExp(`^${name} +\\d+$`, 'm'));
    }
  });
});

describe('the options of a soak', () => {
  const seed = () => 7;

  it('are five minutes on PostgreSQL and BullMQ when nothing is said', () => {
    expect(readOptions([], seed)).toMatchObject({
      ...{ store: 'postgres', queue: 'bullmq', seed: 7 },
      ...{ duration_ms: 300_000, least_kills: 30 },
    });
  });

  it('are those of the command line', () => {
    const line = '--minutes 1 --clients 3 --sessions 2 --seed 9 --store sqlite --queue in-process';
    expect(readOptions(line.split(' '), seed)).toMatchObject({
      ...{ store: 'sqlite', queue: 'in-process', seed: 9, clients: 3, sessions: 2 },
      duration_ms: 60_000,
    });
  });

  it.each([
    ['minutes', ['--minutes', '0']],
    ['store', ['--store', 'mysql']],
    ['hours', ['--hours', '1']],
    ['clients', ['--clients', 'many']],
  ])('are refused when %s is wrong', (name, line) => {
    expect(() => readOptions(line, seed)).toThrow(name);
  });
});
