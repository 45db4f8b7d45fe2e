import type { Logger } from 'pino';
import { type Tracer, UNTRACED } from '../app/ports/tracer.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { ServerSettings } from '../config.ts';
import { missingPart } from '../optional-parts.ts';
import { packageVersion } from '../package-version.ts';
import type { SentSpan } from './span-of-thread.ts';
import type { Tracing } from './tracing.ts';

const NO_TRACING: Tracing = {
  isOn: false,
  tracer: UNTRACED,
  take: () => {},
  close: async () => {},
};

/**
 * Traces, where the settings name a collector; nothing of OpenTelemetry is loaded where they do not.
 * Throws SettingsError where its packages are not installed.
 */
export async function openTracing(
  { tracing, role }: Pick<ServerSettings, 'tracing' | 'role'>,
  log: Logger,
): Promise<Tracing> {
  if (tracing === null) return NO_TRACING;
  const missing = missingPart('traces');
  if (missing !== null) {
    throw new SettingsError(`OTEL_EXPORTER_OTLP_ENDPOINT cannot be used: ${missing}`);
  }
  const { sendSpans } = await import('./send-spans.ts');
  const { url, service_name: name } = tracing;
  return sendSpans({
    url,
    service: { name, version: packageVersion(), role },
    // Not the address: it may hold a password.
    onTrouble: () => log.warn('the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take traces'),
  });
}

/** The tracer of a thread, which tells its spans to the process. */
export async function openTracingOfThread(
  { tracing }: Pick<ServerSettings, 'tracing'>,
  tell: (span: SentSpan) => void,
): Promise<Tracer> {
  if (tracing === null) return UNTRACED;
  const { tracerOfThread } = await import('./span-of-thread.ts');
  return tracerOfThread(tell);
}
