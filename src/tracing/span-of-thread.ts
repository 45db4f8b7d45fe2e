import type { SpanContext } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Tracer } from '../app/ports/tracer.ts';
import { tracerOver } from './otel-tracer.ts';

/** A span as a thread tells it to its process, which sends it on. */
export type SentSpan = Pick<
  ReadableSpan,
  | 'name'
  | 'kind'
  | 'parentSpanContext'
  | 'startTime'
  | 'endTime'
  | 'duration'
  | 'ended'
  | 'status'
  | 'attributes'
> & { context: SpanContext };

/** The tracer of a thread: it hands over each span that has ended. */
export function tracerOfThread(tell: (span: SentSpan) => void): Tracer {
  const processor = {
    onStart: () => {},
    onEnd: (span: ReadableSpan) => tell(sentSpan(span)),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  return tracerOver(
    new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('palimpsest'),
  );
}

function sentSpan(span: ReadableSpan): SentSpan {
  const { name, kind, parentSpanContext, startTime, endTime, duration, ended, status } = span;
  const context = plain(span.spanContext());
  return {
    name,
    kind,
    ...(parentSpanContext !== undefined && { parentSpanContext: plain(parentSpanContext) }),
    startTime,
    endTime,
    duration,
    ended,
    status: { ...status },
    attributes: { ...span.attributes },
    context,
  };
}

/** Without what only the thread could call. */
function plain({ traceId, spanId, traceFlags, isRemote = false }: SpanContext): SpanContext {
  return { traceId, spanId, traceFlags, isRemote };
}
