/**
 * Where an API takes more than the types of its SDK say, and where that is known from. Nothing here
 * comes from our codecs; every entry names a client or a server that was seen to do it.
 */
export type Leniency = {
  /** The name of the SDK's type. */
  type: string;
  /** Required fields that may be absent. */
  mayLack?: readonly string[];
  /** Fields that the type does not have. */
  mayHave?: readonly string[];
  because: string;
};

export const LENIENCES: readonly Leniency[] = [
  {
    type: 'ResponseOutputMessage',
    mayLack: ['id', 'status', 'type'],
    because: 'Codex sends the answers of its model without id and status; a type may be absent',
  },
  {
    type: 'ResponseOutputText',
    mayLack: ['annotations'],
    because: 'Codex sends the answers of its model without them (rollout files)',
  },
  {
    type: 'ResponseReasoningItem',
    mayLack: ['id'],
    because: 'Codex sends reasoning without its id, since nothing is stored at the provider',
  },
  {
    type: 'ResponseFunctionWebSearch',
    mayLack: ['id', 'action'],
    because: 'Codex sends searches without id, older versions without action (rollout files)',
  },
  {
    type: 'ResponseInputImage',
    mayLack: ['detail'],
    because: 'the API reference says that it defaults to auto',
  },
  {
    type: 'ResponseInputItem.LocalShellCallOutput',
    mayLack: ['id'],
    mayHave: ['call_id'],
    because: 'the API guide answers a local shell call by its call_id',
  },
  {
    type: 'ChatCompletionAssistantMessageParam',
    mayHave: ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'],
    because: 'DeepSeek, Kimi, OpenRouter, vLLM and LiteLLM want their reasoning back',
  },
  {
    type: 'ChatCompletionToolMessageParam',
    mayHave: ['name'],
    because: 'Gemini and Mistral have it, and so had the first examples of OpenAI',
  },
  {
    type: 'ChatCompletionMessageFunctionToolCall',
    mayHave: ['extra_content', 'provider_specific_fields'],
    because: "Gemini's compatible API and LiteLLM carry thought signatures there",
  },
  {
    type: 'ChatCompletionMessageFunctionToolCall.Function',
    mayHave: ['provider_specific_fields'],
    because: 'LiteLLM carries thought signatures there',
  },
  ...['Text', 'Image', '.File'].map((part) => ({
    type: `ChatCompletionContentPart${part}`,
    mayHave: ['cache_control'],
    because: 'OpenRouter and LiteLLM hand them on to Anthropic',
  })),
];
