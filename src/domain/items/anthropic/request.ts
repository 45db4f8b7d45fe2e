import type { Item } from '../item.ts';
import { ANTHROPIC_FIELDS } from '../request-types/anthropic-fields.ts';
import { readRequestTypes, requestFields } from '../request-types/request-fields.ts';

const TYPES = readRequestTypes(ANTHROPIC_FIELDS);

/** The message with only what the Messages API takes: it refuses every other field. */
export function anthropicRequestMessage(message: Item): Item {
  return requestFields(message, TYPES);
}
