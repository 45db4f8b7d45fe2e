import type { JsonObject } from '../../../domain/json.ts';
import { ApiCallError } from '../api-call-error.ts';
import type { ProviderAccess } from '../providers.ts';

/** How OpenAI is asked. */
export type OpenaiAccess = ProviderAccess & { fetch: typeof fetch };

/**
 * Posts JSON to a path of the provider and answers the response once its status is one of success.
 * Throws ApiCallError with status, headers and body otherwise, and what `fetch` throws.
 */
export async function postToOpenai(
  { baseUrl, apiKey, fetch }: OpenaiAccess,
  path: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Response> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  throw new ApiCallError(response, await response.text());
}
