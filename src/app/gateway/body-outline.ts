import { elementsOf } from '../../domain/gateway/element-ends.ts';
import { historyField } from '../../domain/gateway/protocol.ts';
import type { Item } from '../../domain/items/item.ts';
import { type JsonObject, jsonObjectIn, stringField } from '../../domain/json.ts';
import { type BodyOutline, MOST_PLACES } from '../known-bodies.ts';
import { bytesTo } from '../known-rest.ts';
import type { Telling } from '../telling.ts';
import type { TurnRequest } from './turn-request.ts';
import { LONGEST_MODEL } from './turn-settings.ts';

/** The names of fields that are kept of a body, in characters: requests have a dozen short ones. */
const LONGEST_NAMES = 1_000;

/**
 * Where the body of a request can be gone on from; null: nowhere. `items`: its history as it was told, in
 * which only the opening may have been taken apart.
 */
export function outlineOf(
  { protocol, text }: Pick<TurnRequest, 'protocol' | 'text'>,
  body: JsonObject,
  items: readonly Item[],
  telling: Telling,
): BodyOutline | null {
  const messages = body[historyField(protocol)];
  if (!Array.isArray(messages)) return null;
  // What follows the first answer is taken as it comes.
  const opening = items.findIndex(({ role }) => role === 'assistant' || role === undefined);
  const starts = telling.starts
    .filter((start) => opening !== -1 && start.items > opening && start.items < items.length)
    .slice(-MOST_PLACES);
  if (starts.length === 0) return null;
  const elements = elementsOf(text, historyField(protocol));
  const before = elements && jsonObjectIn(`${text.slice(0, elements.start)}[]}`);
  const fields = before && sessionFields(before);
  if (elements === null || before === null || fields === null) return null;
  const names = Object.keys(before);
  if (names.join().length > LONGEST_NAMES) return null;
  const added = items.length - messages.length;
  const places = starts.flatMap((start) => {
    const index = start.items - added - 1;
    const end = elements.ends[index];
    const isSame = end !== undefined && messages[index] === items[start.items - 1];
    return isSame ? [{ start, end: bytesTo(text, end) }] : [];
  });
  return { fields, names, history_at: elements.start, told: telling.told, places };
}

/** The fields of a request that say something about its session, beside its history; null: too long ones. */
function sessionFields(body: JsonObject): JsonObject | null {
  const model = stringField(body, 'model') ?? '';
  if (model.length > LONGEST_MODEL) return null;
  return { model, ...(body.store === false && { store: false }) };
}
