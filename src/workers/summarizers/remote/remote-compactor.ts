import type { Item } from '../../../domain/items/item.ts';
import { isApiCallError } from '../api-call-error.ts';
import { apiError } from '../failures.ts';
import { fetchThere } from '../fetch-there.ts';
import type { ModelPolicy } from '../model-policy.ts';
import { missingSetting, type ProviderEnvironment, providerAccess } from '../providers.ts';
import { timedCall } from '../timed-call.ts';
import { compactByEndpoint } from './openai-compact.ts';
import { compactByTrigger } from './openai-trigger.ts';
import type { RemoteAnswer } from './remote-answer.ts';

export type RemoteRequest = {
  /** The provider's own name of the session's model. */
  model: string;
  input: Item[];
  instructions: string | null;
  timeout_ms: number;
  signal: AbortSignal;
};

/** Never throws: whatever goes wrong becomes a failure with kind and retryability. */
export type RemoteCompactor = (request: RemoteRequest) => Promise<RemoteAnswer>;

/**
 * OpenAI's own compaction, at `OPENAI_BASE_URL` with `OPENAI_API_KEY` (SPEC section 13). Asks the
 * endpoint; where there is none, it sends the trigger, and goes on doing so once that has worked. It
 * calls once: retrying is the job's business. Only models that `policy` allows.
 */
export function remoteCompactor(
  environment: ProviderEnvironment,
  policy: ModelPolicy = () => null,
  ask: typeof fetch = fetch,
): RemoteCompactor {
  let hasEndpoint = true;
  return async (request) => {
    const { model, input, instructions } = request;
    const refusal = policy(`openai/${model}`);
    if (refusal !== null) return apiError(refusal, false);
    const missing = missingSetting('openai', environment);
    if (missing !== null) return apiError(`provider openai needs ${missing}`, false);
    const access = { ...providerAccess('openai', environment), fetch: fetchThere(ask) };
    const body = { model, input, ...(instructions !== null && { instructions }) };
    return timedCall('openai', request, async (signal) => {
      if (hasEndpoint) {
        try {
          return await compactByEndpoint(access, body, signal);
        } catch (error) {
          if (!isNoEndpoint(error)) throw error;
        }
      }
      const answer = await compactByTrigger(access, body, signal);
      // Not before: a status of 404 may also mean that the model is not known.
      if (answer.ok) hasEndpoint = false;
      return answer;
    });
  };
}

function isNoEndpoint(error: unknown): boolean {
  const status = isApiCallError(error) ? error.statusCode : undefined;
  return status === 404 || status === 405;
}
