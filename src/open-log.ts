import { type Logger, pino } from 'pino';
import type { ServerSettings } from './config.ts';
import { errorFields } from './error-fields.ts';

/** The log of the process on stderr; each of its threads opens it anew. */
export function openLog({ log_level }: Pick<ServerSettings, 'log_level'>): Logger {
  return pino({ level: log_level, serializers: { err: errorFields } }, pino.destination(2));
}
