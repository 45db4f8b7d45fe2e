import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import {
  ALONE,
  BROWSER,
  COMMON,
  combination,
  DOCKER,
  FAULTS,
  PROCESSES,
  RULES,
  rules,
  sharing,
} from './test/support/vitest-projects.ts';

/** What shows that adapters go together; their contract suites show the rest. */
const TOGETHER = ['test/e2e/turns.test.ts', 'test/e2e/compaction.test.ts'];

/** `npm test`: the rules, everything on one combination, a few tests on the others. */
export default defineConfig({
  test: {
    ...COMMON,
    // One more than there are cores: while some wait for the processes that they have started, others run.
    maxWorkers: availableParallelism() + 1,
    projects: [
      combination({ store: 'sqlite', queue: 'in-process', include: ALONE }),
      rules(),
      sharing({
        store: 'sqlite',
        queue: 'in-process',
        include: ['test/**/*.test.ts'],
        exclude: [...RULES, ...FAULTS, ...PROCESSES, ...ALONE, ...BROWSER, ...DOCKER],
      }),
      combination({ store: 'sqlite', queue: 'bullmq', include: TOGETHER }),
      combination({ store: 'postgres', queue: 'in-process', include: TOGETHER }),
      combination({ store: 'postgres', queue: 'bullmq', include: TOGETHER }),
    ],
  },
});
