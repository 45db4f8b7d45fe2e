import { aiSdkCodec } from './ai-sdk/codec.ts';
import { anthropicCodec } from './anthropic/codec.ts';
import type { Codec } from './codec.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';

const CODECS = {
  anthropic: anthropicCodec,
  'openai-responses': openaiResponsesCodec,
  'openai-chat': openaiChatCodec,
  'ai-sdk': aiSdkCodec,
} satisfies Record<string, Codec>;

/** The wire formats that a session can have (SPEC section 4). */
export type Format = keyof typeof CODECS;
// `Object.keys` forgets what the keys are.
export const FORMATS = Object.keys(CODECS) as Format[];

/** The codec of a wire format. */
export function codecFor(format: Format): Codec {
  return CODECS[format];
}
