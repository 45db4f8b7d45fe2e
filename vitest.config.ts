import { defineConfig } from 'vitest/config';

type Store = 'sqlite' | 'postgres';
type Queue = 'in-process' | 'bullmq';

/** What the service does as a whole, whatever it runs on. The tour is of the service as it comes. */
const WHOLE = ['test/e2e/*.test.ts'];
const TOUR = 'test/e2e/readme-tour.test.ts';
/** What a store can do to the rest; these hand their jobs to no engine. */
const ON_A_STORE = [
  'test/api/*.test.ts',
  'test/properties/*.test.ts',
  'test/workers/compact-session.test.ts',
  'test/workers/dispatcher.test.ts',
  'test/findings/{a,b}*.test.ts',
];

/**
 * Rules without processes or servers of their own. They share the modules that they load, which takes
 * longer than most of them.
 */
const RULES = [
  'test/domain/**/*.test.ts',
  'test/conformance/**/*.test.ts',
  'test/loops/**/*.test.ts',
  'test/house/**/*.test.ts',
];

/** The tests on one combination of adapters, which `inject('store')` and `inject('queue')` name. */
function combination(store: Store, queue: Queue, include: string[], exclude: string[] = []) {
  return {
    test: {
      name: `${store} + ${queue}`,
      provide: { store, queue },
      include,
      exclude,
      testTimeout: 60_000,
      hookTimeout: 120_000,
      pool: 'forks' as const,
    },
  };
}

function rules() {
  const { test } = combination('sqlite', 'in-process', RULES);
  return { test: { ...test, name: 'rules', isolate: false } };
}

export default defineConfig({
  test: {
    // Once for all projects.
    globalSetup: [
      'test/support/build-once.ts',
      'test/support/servers/shared-servers.ts',
      'test/support/cluster/kill-count.ts',
    ],
    projects: [
      combination('sqlite', 'in-process', ['test/**/*.test.ts'], RULES),
      rules(),
      combination('sqlite', 'bullmq', WHOLE, [TOUR]),
      combination('postgres', 'in-process', [...WHOLE, ...ON_A_STORE], [TOUR]),
      combination('postgres', 'bullmq', WHOLE, [TOUR]),
    ],
    // Not one less, as by default: many tests wait for the processes that they have started.
    maxWorkers: '100%',
    reporters: ['default'],
  },
});
