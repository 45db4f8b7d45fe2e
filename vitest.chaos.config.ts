import { defineConfig } from 'vitest/config';
import {
  ALONE,
  ALONE_ON_A_STORE,
  BROWSER,
  COMMON,
  combination,
  docker,
  FAULTS,
  ON_A_STORE,
  PROCESSES,
  type Scale,
  sharing,
  TOUR,
  WHOLE,
} from './test/support/vitest-projects.ts';

const scale = scaleFrom(process.env.TEST_SCALE ?? 'long');

/** What `npm test` tries in brief. */
const AT_LENGTH = [
  'test/e2e/{crash,event-loop,fuzz}.test.ts',
  'test/soak/soak.test.ts',
  'test/adapters/{ai-sdk,claude-agent-sdk,examples,langchain,openai-agents}.test.ts',
  'test/api/gateway/sdks.test.ts',
  'test/findings/i12-*.test.ts',
];

/** The same without kills, loads and clients: what `npm test` has tried of it is enough for the short form. */
const AT_GREAT_LENGTH = [
  'test/**/*.property.test.ts',
  'test/domain/hostile-texts.test.ts',
  'test/soak/long-session-pages.test.ts',
  'test/transcripts.test.ts',
  'test/findings/a10-transcripts-*.test.ts',
  'test/app/sync-recordings.test.ts',
  'test/findings/{a6-*,b2-newest-*,i4-*}.test.ts',
];

/**
 * Not in the short form: what is tried on the pairs that differ in both, SQLite with jobs in the process and
 * PostgreSQL with BullMQ, and what no store changes.
 */
const ON_MIXED_PAIRS = scale === 'short' ? ['test/e2e/{crash,event-loop,fuzz}.test.ts'] : [];
const AGAIN_ON_A_STORE = scale === 'short' ? ['test/findings/{a3,a6,a10,b2}-*.test.ts'] : [];

/**
 * `npm run test:chaos`: outages, kills, fuzzing and properties at length, and everything that an
 * adapter could change on each combination. TEST_SCALE=short tries each of them, in a few rounds.
 */
export default defineConfig({
  test: {
    ...COMMON,
    projects: [
      combination({
        store: 'sqlite',
        queue: 'in-process',
        scale,
        include: [
          ...FAULTS,
          ...PROCESSES,
          ...AT_LENGTH,
          ...BROWSER,
          ...(scale === 'long' ? AT_GREAT_LENGTH : []),
        ],
      }),
      combination({
        store: 'sqlite',
        queue: 'bullmq',
        scale,
        include: WHOLE,
        exclude: [TOUR, ...ON_MIXED_PAIRS],
      }),
      sharing({
        store: 'postgres',
        queue: 'in-process',
        scale,
        include: [...WHOLE, ...ON_A_STORE],
        exclude: [TOUR, ...ALONE, ...AGAIN_ON_A_STORE, ...ON_MIXED_PAIRS],
      }),
      combination({
        store: 'postgres',
        queue: 'in-process',
        scale,
        include: ALONE_ON_A_STORE,
        exclude: AGAIN_ON_A_STORE,
      }),
      combination({ store: 'postgres', queue: 'bullmq', scale, include: WHOLE, exclude: [TOUR] }),
      // It may install an engine and make images: too much for the short form.
      ...(scale === 'long' ? [docker()] : []),
    ],
  },
});

function scaleFrom(given: string): Scale {
  if (given === 'short' || given === 'long') return given;
  throw new Error(`TEST_SCALE is short or long, not ${given}`);
}
