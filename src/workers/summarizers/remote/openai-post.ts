import { APICallError } from 'ai';
import type { JsonObject } from '../../../domain/json.ts';
import type { ProviderAccess } from '../providers.ts';

/**
 * Posts JSON to a path of the provider and answers the response once its status is one of success.
 * Throws APICallError with status, headers and body otherwise, and what `fetch` throws.
 */
export async function postToOpenai(
  { baseUrl, apiKey }: ProviderAccess,
  path: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Response> {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  const response = await fetch(url, {
    method: 'POST',
    // The key and the conversation go where the operator says, and nowhere else.
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  throw new APICallError({
    message: `HTTP ${response.status}`,
    url,
    // Not the request: what is in an error may come to stand in a log.
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: await response.text(),
  });
}
