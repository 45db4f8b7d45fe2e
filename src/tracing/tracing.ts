import type { Tracer } from '../app/ports/tracer.ts';
import type { SentSpan } from './span-of-thread.ts';

/** The traces of a process. */
export type Tracing = {
  isOn: boolean;
  tracer: Tracer;
  /** Takes a span of one of its threads. */
  take: (span: SentSpan) => void;
  /** Sends what has not been sent, as far as that does not take long. */
  close: () => Promise<void>;
};
