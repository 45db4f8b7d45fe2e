import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { Facts, Span, SpanOptions, Tracer } from '../app/ports/tracer.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** The port over a tracer of OpenTelemetry. Of an error it tells the name: its message may quote somebody. */
export function tracerOver(otel: OtelTracer): Tracer {
  const underWay = new AsyncLocalStorage<SpanContext | null>();
  const begin = (name: string, { kind = 'internal', parent, facts = {} }: SpanOptions) => {
    const context = parentOf(parent) ?? underWay.getStore() ?? null;
    return otel.startSpan(
      name,
      { kind: KINDS[kind], attributes: { ...facts } },
      context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context),
    );
  };
  return {
    span: async (name, options, run) => {
      const span = begin(name, options);
      const own: Span = {
        add: (facts: Facts) => void span.setAttributes({ ...facts }),
        rename: (name) => void span.updateName(name),
        fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
      };
      try {
        return await underWay.run(span.spanContext(), () => run(own));
      } catch (error) {
        own.fail();
        own.add({ 'error.type': error instanceof Error ? error.name : typeof error });
        throw error;
      } finally {
        span.end();
      }
    },
    within: (parent, run) => {
      const context = parentOf(parent);
      return context === null ? run() : underWay.run(context, run);
    },
    current: () => {
      const context = underWay.getStore();
      return context ? traceparent(context) : undefined;
    },
  };
}

function parentOf(parent: string | undefined): SpanContext | null {
  const context = parent === undefined ? null : parseTraceParent(parent);
  return context === null ? null : { ...context, isRemote: true };
}

function traceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
