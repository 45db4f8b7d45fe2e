import { openAiErrorType } from '../http/openai-error-type.ts';
import type { ProblemError } from '../http/problem.ts';
import { problemStatus } from '../http/problem.ts';

type Told = {
  status: number;
  code: string;
  message: string;
  param?: string | null;
  headers?: Readonly<Record<string, string>>;
  /** More fields of the error, as Anthropic's clients read them. */
  details?: object;
};

/** An error of ours in the words of the provider whose client asks. */
export function gatewayError(isAnthropic: boolean, told: Told): Response {
  const { status, message, code, param = null, headers = {}, details } = told;
  const error = isAnthropic
    ? { type: anthropicType(status), message, ...(details !== undefined && { details }) }
    : { message, type: openAiErrorType(status), param, code };
  const body = isAnthropic ? { type: 'error', error } : { error };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
}

export function problemAnswer(isAnthropic: boolean, problem: ProblemError): Response {
  const { code, message, headers } = problem;
  return gatewayError(isAnthropic, { status: problemStatus(code), code, message, headers });
}

function anthropicType(status: number): string {
  switch (status) {
    case 400:
      return 'invalid_request_error';
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 429:
      return 'rate_limit_error';
    default:
      return 'api_error';
  }
}
