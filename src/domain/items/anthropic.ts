import { checkAnthropic } from './anthropic/check.ts';
import { anthropicMessage, encodeAnthropic } from './anthropic/encode.ts';
import { editAnthropicResults, normaliseAnthropic } from './anthropic/normalise.ts';
import { renderAnthropic } from './anthropic/render.ts';
import { anthropicViolations } from './anthropic/violations.ts';
import type { Codec } from './codec.ts';
import { isSpoken } from './shape.ts';

/** Messages of Anthropic's Messages API. */
export const anthropicCodec: Codec = {
  format: 'anthropic',
  check: checkAnthropic,
  normalise: normaliseAnthropic,
  isMessage: isSpoken,
  editResults: editAnthropicResults,
  message: anthropicMessage,
  encode: encodeAnthropic,
  render: renderAnthropic,
  violations: anthropicViolations,
};
