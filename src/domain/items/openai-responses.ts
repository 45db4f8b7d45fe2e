import type { Codec } from './codec.ts';
import { checkOpenaiResponses } from './openai-responses/check.ts';
import { encodeOpenaiResponses, openaiResponsesMessage } from './openai-responses/encode.ts';
import {
  editOpenaiResponsesResults,
  isOpenaiResponsesMessage,
  normaliseOpenaiResponses,
} from './openai-responses/normalise.ts';
import { renderOpenaiResponses } from './openai-responses/render.ts';
import { openaiResponsesViolations } from './openai-responses/violations.ts';

/** Items of OpenAI's Responses API. */
export const openaiResponsesCodec: Codec = {
  format: 'openai-responses',
  check: checkOpenaiResponses,
  normalise: normaliseOpenaiResponses,
  isMessage: isOpenaiResponsesMessage,
  editResults: editOpenaiResponsesResults,
  message: openaiResponsesMessage,
  encode: encodeOpenaiResponses,
  render: renderOpenaiResponses,
  violations: openaiResponsesViolations,
};
