import type { Scale } from '../vitest-projects.ts';

/** What the global set-up and the vitest projects hand to every test file. */
declare module 'vitest' {
  export interface ProvidedContext {
    /** Servers that all test files share; each takes its own database or key prefix there. */
    redisUrl: string;
    postgresUrl: string;
    /** The combination of adapters that the project runs the suite on. */
    store: 'sqlite' | 'postgres';
    queue: 'in-process' | 'bullmq';
    /** How much of what is drawn at random is tried. */
    scale: Scale;
  }
}
