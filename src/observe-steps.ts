import type { Logger } from 'pino';
import type { Observe } from './app/ports/observe.ts';
import type { Tracer } from './app/ports/tracer.ts';

/** Tells of each step of a compaction in one line of the log, and as a span. */
export function observeSteps(log: Logger, tracer: Tracer): Observe {
  return ({ name, kind = 'internal', facts }, run, outcome) =>
    tracer.span(name, { kind, facts: named(facts) }, async (span) => {
      const started = performance.now();
      const tell = (came: { [name: string]: unknown }, level: 'info' | 'warn') => {
        const ms = Math.round(performance.now() - started);
        log[level]({ step: name, ...facts, ...came, ms }, 'a step of a compaction');
      };
      try {
        const value = await run();
        const { failed = false, ...came } = outcome(value);
        span.add(named(came));
        if (failed) span.fail();
        tell(came, failed ? 'warn' : 'info');
        return value;
      } catch (error) {
        // What went wrong is told where it is caught.
        tell({ outcome: 'threw' }, 'warn');
        throw error;
      }
    });
}

function named(facts: { readonly [name: string]: string | number | boolean }) {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [`palimpsest.${name}`, value]),
  );
}
