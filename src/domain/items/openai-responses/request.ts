import type { Item } from '../item.ts';
import { OPENAI_RESPONSES_FIELDS } from '../request-types/openai-responses-fields.ts';
import {
  type FieldsBeyond,
  readRequestTypes,
  requestFields,
} from '../request-types/request-fields.ts';

/** The API reference answers a local shell by `call_id` where the SDK's type has `id`. */
const BEYOND_THE_TYPES: FieldsBeyond = {
  'ResponseInputItem.LocalShellCallOutput': ['call_id'],
};

const TYPES = readRequestTypes(OPENAI_RESPONSES_FIELDS, BEYOND_THE_TYPES);

/** The item with only what the Responses API takes: it refuses every other field. */
export function openaiResponsesRequestItem(item: Item): Item {
  return requestFields(item, TYPES);
}
