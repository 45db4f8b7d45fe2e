import type { Codec } from '../codec.ts';
import { isSpoken } from '../shape.ts';
import { checkAnthropic } from './check.ts';
import { anthropicMessage, encodeAnthropic } from './encode.ts';
import { editAnthropicInputs, editAnthropicResults, normaliseAnthropic } from './normalise.ts';
import { renderAnthropic } from './render.ts';
import { anthropicViolations } from './violations.ts';

/** Messages of Anthropic's Messages API. */
export const anthropicCodec: Codec = {
  check: checkAnthropic,
  normalise: normaliseAnthropic,
  isMessage: isSpoken,
  editResults: editAnthropicResults,
  editInputs: editAnthropicInputs,
  message: anthropicMessage,
  encode: encodeAnthropic,
  render: renderAnthropic,
  violations: anthropicViolations,
};
