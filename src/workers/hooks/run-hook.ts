import type { Format } from '../../domain/items/codecs.ts';
import type { HookRun } from '../../domain/session/record-hook.ts';
import { readHookAnswer } from './hook-answer.ts';
import { type HookCall, hookPayload } from './hook-payload.ts';
import type { HookSettings } from './hook-settings.ts';
import { signatureHeaders } from './sign.ts';

export type HookContext = {
  /** Format of the session, which items of the answer have to fit. */
  format: Format;
  signal: AbortSignal;
  /** Milliseconds since 1970. */
  now: () => number;
  /** By default without a proxy. */
  fetch?: typeof fetch;
};

/** Bytes of an answer that are read. */
const MOST_BYTES = 256 * 1024;
const REDIRECTED = 'the answer is a redirect, which is not followed: configure the final URL';

/**
 * Calls one hook: one signed POST to the operator's URL, never to where an answer points (SPEC
 * section 16). Never throws for what the hook does; the error texts quote neither answer nor URL. Null
 * when the compaction was aborted meanwhile.
 */
export async function runHook(
  hook: HookSettings,
  call: HookCall,
  { format, signal, now, fetch: ask = fetch }: HookContext,
): Promise<HookRun | null> {
  const started = now();
  const body = hookPayload(hook.event, call);
  // Timers take whole milliseconds only.
  const timeout = AbortSignal.timeout(Math.ceil(hook.timeout_seconds * 1000));
  let status: number | null = null;
  const run = (outcome: Pick<HookRun, 'ok' | 'error' | 'result'>): HookRun => ({
    hook: hook.name,
    event: hook.event,
    required: hook.required,
    status,
    // A clock may be set back.
    duration_ms: Math.max(0, now() - started),
    ...outcome,
  });
  const failed = (error: string) => run({ ok: false, error, result: {} });
  try {
    const response = await ask(hook.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'palimpsest',
        ...signatureHeaders(body, hook.secret, Math.floor(started / 1000)),
      },
      body,
      signal: AbortSignal.any([signal, timeout]),
    });
    status = response.status;
    if (!response.ok) {
      await response.body?.cancel();
      return failed(status >= 300 && status < 400 ? REDIRECTED : `the answer has status ${status}`);
    }
    const text = await readText(response);
    if (text === null) return failed(`the answer is larger than ${MOST_BYTES} bytes`);
    const answer = readHookAnswer(hook.event, text, format);
    return answer.ok ? run({ ...answer, error: null }) : failed(answer.error);
  } catch (error) {
    if (signal.aborted) return null;
    if (timeout.aborted) return failed(`no answer within ${hook.timeout_seconds} seconds`);
    return failed(
      `${status === null ? 'could not be reached' : 'the answer broke off'}${codeOf(error)}`,
    );
  }
}

/** Null when there is more of it than may be read. */
async function readText(response: Response): Promise<string | null> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop gives up the rest of the body.
    if (size > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The system's or the HTTP client's name for what is wrong, never their text, which holds the address. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : '';
}
