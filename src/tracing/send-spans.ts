import { setTimeout as pause } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { tracerOver } from './otel-tracer.ts';
import type { Tracing } from './tracing.ts';

/** What has not been sent when the service stops may take so long; a collector that hangs keeps nobody. */
const CLOSE_MS = 2_000;

type Collector = {
  /** Where OTLP over HTTP is taken. */
  url: string;
  service: { name: string; version: string; role: string };
  /** Told once per outage that the collector does not take them. */
  onTrouble: () => void;
};

/** Sends spans to a collector in batches (SPEC 2, section 27). */
export function sendSpans({ url, service, onTrouble }: Collector): Tracing {
  const exporter = tellingOfOutages(new OTLPTraceExporter({ url }), onTrouble);
  const processor = new BatchSpanProcessor(exporter);
  const resource = resourceFromAttributes({
    'service.name': service.name,
    'service.version': service.version,
    'palimpsest.role': service.role,
    // OTEL_RESOURCE_ATTRIBUTES, and the name in OTEL_SERVICE_NAME.
  }).merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const instrumentationScope = { name: 'palimpsest', version: service.version };
  return {
    isOn: true,
    tracer: tracerOver(provider.getTracer(instrumentationScope.name, instrumentationScope.version)),
    take: ({ context, ...span }) =>
      processor.onEnd({
        ...span,
        spanContext: () => context,
        resource,
        instrumentationScope,
        links: [],
        events: [],
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      }),
    close: async () => {
      await Promise.race([provider.shutdown().catch(() => {}), pause(CLOSE_MS)]);
    },
  };
}

function tellingOfOutages(exporter: SpanExporter, onTrouble: () => void): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !isAway) onTrouble();
        isAway = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
