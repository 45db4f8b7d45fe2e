import type { Codec } from './codec.ts';
import { checkOpenaiChat } from './openai-chat/check.ts';
import { encodeOpenaiChat, openaiChatMessage } from './openai-chat/encode.ts';
import { editOpenaiChatResults, normaliseOpenaiChat } from './openai-chat/normalise.ts';
import { renderOpenaiChat } from './openai-chat/render.ts';
import { openaiChatViolations } from './openai-chat/violations.ts';
import { isSpoken } from './shape.ts';

/** Messages of OpenAI's Chat Completions API. */
export const openaiChatCodec: Codec = {
  format: 'openai-chat',
  check: checkOpenaiChat,
  normalise: normaliseOpenaiChat,
  isMessage: isSpoken,
  editResults: editOpenaiChatResults,
  message: openaiChatMessage,
  encode: encodeOpenaiChat,
  render: renderOpenaiChat,
  violations: openaiChatViolations,
};
