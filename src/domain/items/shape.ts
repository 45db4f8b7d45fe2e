import { isJsonObject, type Json, type JsonObject, objectsIn } from '../json.ts';
import type { ItemProblem } from './codec.ts';
import { checkControlItem, isControlItem } from './control-items.ts';
import type { Item, TextPart } from './item.ts';
import { checkOwnFields } from './own-fields.ts';

type Path = ItemProblem['path'];

/** The rules that all formats share; `checkMessage` adds those of one format (SPEC section 4). */
export function checkItem(
  item: Json,
  checkMessage: (message: JsonObject) => ItemProblem[],
): ItemProblem[] {
  if (!isJsonObject(item)) return [{ path: [], message: 'an item must be a JSON object' }];
  if (isControlItem(item)) return checkControlItem(item);
  return [...checkOwnFields(item), ...checkMessage(item)];
}

/** One problem when the field is not a string with at least one character, else none. */
export function checkName(object: JsonObject, field: string, path: Path): ItemProblem[] {
  const value = object[field];
  if (typeof value === 'string' && value !== '') return [];
  return [{ path: [...path, field], message: `"${field}" must be a non-empty string` }];
}

const TEXT_TYPES = ['text', 'input_text', 'output_text'];

/** Problems of one list of blocks after which the check stops: beyond, they are one mistake many times. */
const MAX_PROBLEMS = 50;

/**
 * Content blocks: objects with a string `type`; unknown types pass, text blocks need their text. After
 * about fifty problems the check stops, with a last problem that says so.
 */
export function checkBlocks(
  blocks: readonly Json[],
  path: Path,
  checkBlock: (block: JsonObject, path: Path) => ItemProblem[] = () => [],
): ItemProblem[] {
  const problems: ItemProblem[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = [...path, index];
    if (problems.length >= MAX_PROBLEMS) {
      problems.push({
        path: at,
        message: 'the check stops here: correct the blocks before this one, then send it again',
      });
      break;
    }
    if (!isJsonObject(block) || typeof block.type !== 'string') {
      problems.push({
        path: at,
        message: 'a content block must be an object with a string "type"',
      });
    } else if (TEXT_TYPES.includes(block.type) && typeof block.text !== 'string') {
      problems.push({ path: [...at, 'text'], message: 'a text block needs a string "text"' });
    } else {
      for (const problem of checkBlock(block, at)) problems.push(problem);
    }
  }
  return problems;
}

/** Whether user, assistant or a tool speaks. */
export function isSpoken({ role }: Item): boolean {
  return role === 'user' || role === 'assistant' || role === 'tool';
}

/** The parts of a content: of a string its text, of an array what `partOf` makes of its objects. */
export function partsOf<P>(
  content: Json | undefined,
  partOf: (block: JsonObject) => P,
): (P | TextPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return objectsIn(content).map(partOf);
}

/** Whether a part is a text that says nothing. */
export function isEmptyText(part: Json): boolean {
  return isJsonObject(part) && part.type === 'text' && part.text === '';
}
