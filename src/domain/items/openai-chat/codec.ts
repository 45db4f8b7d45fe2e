import type { Codec } from '../codec.ts';
import { isSpoken } from '../shape.ts';
import { checkOpenaiChat } from './check.ts';
import { encodeOpenaiChat, openaiChatMessage } from './encode.ts';
import { editOpenaiChatInputs, editOpenaiChatResults, normaliseOpenaiChat } from './normalise.ts';
import { renderOpenaiChat } from './render.ts';
import { openaiChatViolations } from './violations.ts';

/** Messages of OpenAI's Chat Completions API. */
export const openaiChatCodec: Codec = {
  check: checkOpenaiChat,
  normalise: normaliseOpenaiChat,
  isMessage: isSpoken,
  editResults: editOpenaiChatResults,
  editInputs: editOpenaiChatInputs,
  message: openaiChatMessage,
  encode: encodeOpenaiChat,
  render: renderOpenaiChat,
  violations: openaiChatViolations,
};
