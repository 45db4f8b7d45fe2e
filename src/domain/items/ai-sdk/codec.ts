import type { Codec } from '../codec.ts';
import { isSpoken } from '../shape.ts';
import { checkAiSdk } from './check.ts';
import { aiSdkMessage, encodeAiSdk } from './encode.ts';
import { editAiSdkInputs, editAiSdkResults, normaliseAiSdk } from './normalise.ts';
import { renderAiSdk } from './render.ts';
import { aiSdkViolations } from './violations.ts';

/** Model messages of the AI SDK: what `generateText` and `streamText` take and answer. */
export const aiSdkCodec: Codec = {
  check: checkAiSdk,
  normalise: normaliseAiSdk,
  isMessage: isSpoken,
  editResults: editAiSdkResults,
  editInputs: editAiSdkInputs,
  message: aiSdkMessage,
  encode: encodeAiSdk,
  render: renderAiSdk,
  violations: aiSdkViolations,
};
