import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { NO_TOKENS } from '../../../domain/session/summarizer-usage.ts';
import { apiError } from '../failures.ts';
import { type OpenaiAccess, postToOpenai } from './openai-post.ts';
import { measured, openaiUsage, type RemoteAnswer, unkeepable } from './remote-answer.ts';

/**
 * The endpoint form of OpenAI's compaction: `POST /responses/compact` with the items, answered by the
 * items that stand for them (SPEC section 13). Throws what `postToOpenai` throws.
 */
export async function compactByEndpoint(
  access: OpenaiAccess,
  body: JsonObject,
  signal: AbortSignal,
): Promise<RemoteAnswer> {
  const response = await postToOpenai(access, '/responses/compact', body, signal);
  const text = await response.text();
  const size = measured(text);
  if (!size.ok) return size;
  const flawed = unkeepable(text);
  if (flawed !== null) return flawed;
  const answer: unknown = JSON.parse(text);
  if (!isJsonObject(answer) || !Array.isArray(answer.output)) {
    return {
      ...apiError('openai: the answer of /responses/compact holds no output items', false),
      usage: isJsonObject(answer) ? openaiUsage(answer.usage) : NO_TOKENS,
    };
  }
  return { ok: true, output: answer.output, usage: openaiUsage(answer.usage) };
}
