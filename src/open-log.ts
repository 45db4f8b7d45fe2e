import { type Logger, pino } from 'pino';
import type { ServerSettings } from './config.ts';
import { errorFields } from './error-fields.ts';

/**
 * The log of the process on stderr; each of its threads opens it anew. Written beside the work: who
 * reads slowly what is written must not hold up requests.
 */
export function openLog({ log_level }: Pick<ServerSettings, 'log_level'>): Logger {
  return pino(
    { level: log_level, serializers: { err: errorFields } },
    pino.destination({ dest: 2, sync: false }),
  );
}
