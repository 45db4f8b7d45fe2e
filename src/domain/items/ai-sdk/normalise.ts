import { type JsonObject, objectsIn } from '../../json.ts';
import type { ResultEdits } from '../codec.ts';
import { isControlItem, normaliseControlItem } from '../control-items.ts';
import type { Item, Normalised } from '../item.ts';
import { messageOf } from '../own-fields.ts';
import { withInput } from '../replace-input.ts';
import { partsOf } from '../shape.ts';
import { isCall, isResult, partOf, withText } from './parts.ts';

/** The normalised view of a model message of the AI SDK or of a control item. */
export function normaliseAiSdk(item: Item): Normalised {
  if (isControlItem(item)) return normaliseControlItem(item);
  const { role } = item;
  const own = role === 'assistant' || role === 'system' ? role : 'user';
  return messageOf(
    item,
    own,
    partsOf(item.content, (part) => partOf(item, part)),
  );
}

/** The message with the named results replaced. */
export function editAiSdkResults(item: Item, edits: ResultEdits): Item {
  if (isControlItem(item) || !Array.isArray(item.content)) return item;
  const edited = (part: JsonObject): JsonObject => {
    const text = isResult(item, part) ? edits.get(String(part.toolCallId)) : undefined;
    return text === undefined ? part : withText(part, text);
  };
  const before = objectsIn(item.content);
  const content = before.map(edited);
  return content.every((part, index) => part === before[index]) ? item : { ...item, content };
}

/** The message with the input of the named calls replaced. */
export function editAiSdkInputs(item: Item, edits: ResultEdits): Item {
  if (isControlItem(item) || item.role !== 'assistant' || !Array.isArray(item.content)) return item;
  const content = objectsIn(item.content).map((part) => {
    if (!isCall(part)) return part;
    const field = part.input === undefined ? 'args' : 'input';
    return withInput(part, field, edits.get(String(part.toolCallId)));
  });
  return { ...item, content };
}
