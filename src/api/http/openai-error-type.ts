/** The `type` that an error of a status has in OpenAI's APIs. */
export function openAiErrorType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
