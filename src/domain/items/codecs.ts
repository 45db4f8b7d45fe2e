import { anthropicCodec } from './anthropic.ts';
import type { Codec } from './codec.ts';
import type { Format } from './item.ts';
import { openaiChatCodec } from './openai-chat.ts';
import { openaiResponsesCodec } from './openai-responses.ts';

/** The codec of a wire format. */
export function codecFor(format: Format): Codec {
  switch (format) {
    case 'anthropic':
      return anthropicCodec;
    case 'openai-chat':
      return openaiChatCodec;
    case 'openai-responses':
      return openaiResponsesCodec;
    default:
      return format satisfies never;
  }
}
