import type { Item } from '../item.ts';
import { OPENAI_CHAT_FIELDS } from '../request-types/openai-chat-fields.ts';
import {
  type FieldsBeyond,
  readRequestTypes,
  requestFields,
} from '../request-types/request-fields.ts';
import { REASONING_FIELDS } from './reasoning.ts';

/**
 * What compatible servers add to the format and refuse to miss in a round of tools: their model's
 * reasoning (DeepSeek, Kimi, vLLM, OpenRouter, LiteLLM), the thought signatures of Gemini and the names of
 * the tools on their results; and Anthropic's cache marks. OpenAI sends none of them, so they go only where
 * they came from.
 */
const OF_COMPATIBLE_SERVERS: FieldsBeyond = {
  ChatCompletionAssistantMessageParam: REASONING_FIELDS,
  ChatCompletionToolMessageParam: ['name'],
  ChatCompletionMessageFunctionToolCall: ['provider_specific_fields', 'extra_content'],
  'ChatCompletionMessageFunctionToolCall.Function': ['provider_specific_fields'],
  ChatCompletionContentPartText: ['cache_control'],
  ChatCompletionContentPartImage: ['cache_control'],
  'ChatCompletionContentPart.File': ['cache_control'],
};

const TYPES = readRequestTypes(OPENAI_CHAT_FIELDS, OF_COMPATIBLE_SERVERS);

/**
 * The message with only what the Chat Completions API, or a server like it, takes. Fields without a
 * value are left out as well, which many of those servers refuse.
 */
export function openaiChatRequestMessage(message: Item): Item {
  const kept = requestFields(message, TYPES);
  const isEmpty = (field: string) => field !== 'content' && kept[field] === null;
  if (!Object.keys(kept).some(isEmpty)) return kept;
  return Object.fromEntries(Object.entries(kept).filter(([field]) => !isEmpty(field)));
}
