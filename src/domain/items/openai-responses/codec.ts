import type { Codec } from '../codec.ts';
import { checkOpenaiResponses } from './check.ts';
import { encodeOpenaiResponses, openaiResponsesMessage } from './encode.ts';
import {
  editOpenaiResponsesInputs,
  editOpenaiResponsesResults,
  isOpenaiResponsesMessage,
  normaliseOpenaiResponses,
} from './normalise.ts';
import { renderOpenaiResponses } from './render.ts';
import { openaiResponsesViolations } from './violations.ts';

/** Items of OpenAI's Responses API. */
export const openaiResponsesCodec: Codec = {
  check: checkOpenaiResponses,
  normalise: normaliseOpenaiResponses,
  isMessage: isOpenaiResponsesMessage,
  editResults: editOpenaiResponsesResults,
  editInputs: editOpenaiResponsesInputs,
  message: openaiResponsesMessage,
  encode: encodeOpenaiResponses,
  render: renderOpenaiResponses,
  violations: openaiResponsesViolations,
};
