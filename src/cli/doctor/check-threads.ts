import { pino } from 'pino';
import { LOCAL_TENANT } from '../../api/http/auth.ts';
import { UNTRACED } from '../../app/ports/tracer.ts';
import type { ServerSettings } from '../../config.ts';
import { errorMessage } from '../../domain/error-message.ts';
import { openThreads } from '../../threads/threads.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

const CHECK = 'threads';
const LONGEST_MS = 20_000;

/** Whether a thread starts, opens the store and answers. */
export async function checkThreads(
  settings: ServerSettings,
  environment: NodeJS.ProcessEnv,
): Promise<Finding> {
  const log = pino({ level: 'silent' });
  const threads = openThreads(
    { settings, environment, storedSecret: null },
    log,
    UNTRACED,
    () => {},
  );
  if (threads === null) {
    const advice = 'unset PALIMPSEST_THREADS, or large compactions hold up all requests';
    return note(CHECK, 'none: all work is done in one', advice);
  }
  try {
    const request = { method: 'GET', url: 'http://localhost/healthz', headers: [], body: null };
    const signal = AbortSignal.timeout(LONGEST_MS);
    const { status } = await threads.answer(request, signal, LOCAL_TENANT);
    if (status !== 200) throw new Error(`a thread answers with ${status}`);
    return ok(CHECK, 'one starts and answers');
  } catch (error) {
    const advice = 'allow the process more memory and threads, or set PALIMPSEST_THREADS=0';
    return trouble(CHECK, errorMessage(error), advice);
  } finally {
    await threads.close();
  }
}
