import type { TestProject } from 'vitest/node';

/** The files of the vitest projects: `npm test` and `npm run test:chaos` share them. */

/** What the service does as a whole, whatever it runs on. The tour is of the service as it comes. */
export const WHOLE = ['test/e2e/*.test.ts'];
export const TOUR = 'test/e2e/tour.test.ts';

/** What a store can do to the rest; these hand their jobs to no engine. */
export const ON_A_STORE = [
  'test/api/*.test.ts',
  'test/api/gateway/*.test.ts',
  'test/properties/*.test.ts',
  'test/app/sync*.test.ts',
  'test/client/client.test.ts',
  'test/adapters/claude-agent-sdk.test.ts',
  'test/workers/compaction/compact-session.test.ts',
  'test/workers/dispatcher.test.ts',
  'test/findings/{a,b}*.test.ts',
  'test/needles.test.ts',
];

/** Outages, kills and hostile loads: they wait for locks and time-outs to run out, again and again. */
export const FAULTS = [
  'test/faults/*.test.ts',
  // Real clients, which are large to install.
  'test/clients/*.test.ts',
  'test/db/postgres-trouble.test.ts',
  'test/db/archive-steps.test.ts',
  // Two contract suites anew.
  'test/db/postgres/split-events.test.ts',
  'test/workers/engines/bullmq-outages.test.ts',
  'test/findings/{a7-no-summary,i7-shares-of-tenants,i12-slow-*,i12-unread-answers}.test.ts',
  'test/e2e/event-loop.test.ts',
  // It installs the package, and may have to compile SQLite for that.
  'test/package/*.test.ts',
];

/** What needs an engine of Docker, or root to install one. */
export const DOCKER = ['test/docker/*.test.ts'];

/** What needs a browser. */
export const BROWSER = ['test/browser/*.test.ts'];

/** What starts a process for each thing that it tries; most of what these do is tried without them as well. */
export const PROCESSES = [
  'test/cli/{cli,reading,documented-commands,doctor,mcp,sync-watch,hook/hook,wrap/wrap}.test.ts',
  'test/cli/{archive,retention,vacuum,backup}.test.ts',
  'test/threads/threads.test.ts',
  'test/db/postgres-processes.test.ts',
  'test/findings/{d1-restart,i6-other-ways-*,i9-disk-trouble*}.test.ts',
  'test/needles.test.ts',
  // It may install mypy.
  'test/client/python-types.test.ts',
  // The compiler, again and again.
  'test/house/recipes.test.ts',
  // It installs frameworks.
  'test/adapters/examples.test.ts',
];

/**
 * Rules without processes or servers of their own. They share the modules that they load, which takes
 * longer than most of them.
 */
export const RULES = [
  'test/domain/**/*.test.ts',
  'test/conformance/**/*.test.ts',
  'test/loops/**/*.test.ts',
  'test/house/**/*.test.ts',
  'test/bench/**/*.test.ts',
];

/**
 * How much is tried of what can be tried for ever, such as rounds, requests and runs of a property: in
 * `npm test`, in `TEST_SCALE=short npm run test:chaos`, and in the long form of that.
 */
export type Scale = 'brief' | 'short' | 'long';

/**
 * These mock modules, change the environment or what the process prints to, or measure their process.
 * All others share the modules that they load, so none of them may change one.
 */
export const ALONE = [
  'test/api/hardening.test.ts',
  'test/cli/{export-session,sync-file}.test.ts',
  'test/db/archive-places.test.ts',
  'test/db/sqlite-driver.test.ts',
  // It counts the calls of a built-in function, which is slower for ever after in that process.
  'test/domain/workspace/steps.test.ts',
  'test/domain/digests/speed.test.ts',
  'test/findings/{a10-*,e-answers-*,i2-*,i3-*}.test.ts',
  'test/metrics/service-metrics.test.ts',
  'test/stored-secret.test.ts',
];

/** Those of them that a store can change. */
export const ALONE_ON_A_STORE = ['test/api/hardening.test.ts', 'test/findings/a10-*.test.ts'];

type Combination = {
  store: 'sqlite' | 'postgres';
  queue: 'in-process' | 'bullmq';
  include: string[];
  exclude?: string[];
  scale?: Scale;
};

/** A project: tests on one combination of adapters, which `inject('store')` and `inject('queue')` name. */
export function combination(given: Combination) {
  const { store, queue, include, exclude = [], scale = 'brief' } = given;
  return {
    test: {
      name: `${store} + ${queue}`,
      provide: { store, queue, scale },
      include,
      // The clients of the tests bring tests of their own.
      exclude: ['**/node_modules/**', ...exclude],
      setupFiles: ['test/support/property-limits.ts', 'test/support/servers/drop-databases.ts'],
      testTimeout: 180_000,
      hookTimeout: 300_000,
      // Not one second, as by default: on a machine with other work the condition may come much later.
      expect: { poll: { timeout: 30_000 } },
      pool: 'forks' as const,
    },
  };
}

const RULES_PROJECT = 'rules';

/** A combination whose tests share the modules that they load: to load them takes longer than most. */
export function sharing(given: Combination) {
  const { test } = combination(given);
  return { test: { ...test, name: `${test.name}, sharing`, isolate: false } };
}

/** The project of the rules, which needs neither servers nor a build. */
export function rules() {
  const { test } = combination({
    store: 'sqlite',
    queue: 'in-process',
    include: RULES,
    exclude: [...ALONE, ...PROCESSES],
  });
  return { test: { ...test, name: RULES_PROJECT, isolate: false } };
}

/** The project of the containers: it builds the image, which takes minutes, and needs no other servers. */
export function docker() {
  return {
    test: {
      name: 'docker',
      include: DOCKER,
      testTimeout: 300_000,
      hookTimeout: 1_800_000,
      pool: 'forks' as const,
    },
  };
}

/** Whether a run was asked for the rules alone (`--project rules`). */
export function isRulesOnly({ vitest }: TestProject): boolean {
  return vitest.projects.every(({ name }) => name === RULES_PROJECT);
}

/** What every run shares. */
export const COMMON = {
  // Once for all projects.
  globalSetup: [
    'test/support/build-once.ts',
    'test/support/servers/shared-servers.ts',
    'test/support/cluster/kill-count.ts',
  ],
  // Not one less, as by default: many tests wait for the processes that they have started.
  maxWorkers: '100%',
  reporters: ['default'],
  // Else each project and each run transforms all modules anew.
  experimental: { fsModuleCache: true },
};
