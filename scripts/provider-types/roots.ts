import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta/messages/messages.js';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages.js';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions/completions.js';
import type { ResponseInputItem } from 'openai/resources/responses/responses.js';

/** What the providers' SDKs let a client send as conversation: one member per API. */
export type RequestRoots = {
  anthropic: MessageParam;
  anthropic_beta: BetaMessageParam;
  openai_chat: ChatCompletionMessageParam;
  openai_responses: ResponseInputItem;
};
