import fc from 'fast-check';

/**
 * A property ends before the time of its test is over: what was found is then told with its seed, shrunk
 * as far as there was time, and a machine that stands still for a while has tried less.
 */
fc.configureGlobal({ interruptAfterTimeLimit: 50_000 });
