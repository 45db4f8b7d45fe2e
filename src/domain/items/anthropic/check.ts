import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { ItemProblem } from '../codec.ts';
import { checkBlocks, checkItem, checkName } from '../shape.ts';

/** The shape rules of an Anthropic message, see `Codec.check`. */
export function checkAnthropic(item: Json): ItemProblem[] {
  return checkItem(item, checkMessage);
}

function checkMessage(message: JsonObject): ItemProblem[] {
  const { role, content } = message;
  if (role === 'system') return checkSystemMessage(message);
  if (role !== 'user' && role !== 'assistant') {
    return [{ path: ['role'], message: '"role" must be "user", "assistant" or "system"' }];
  }
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) {
    return [
      { path: ['content'], message: '"content" must be a string or an array of content blocks' },
    ];
  }
  return checkBlocks(content, ['content'], (block, path) => checkBlock(block, path, role));
}

const SYSTEM_BLOCKS = ['text', 'tool_addition', 'tool_removal'];

/** Only text and changes of the tools; without content it sets an option for the turn. */
function checkSystemMessage({ content, output_config: options }: JsonObject): ItemProblem[] {
  const path = ['content'];
  if (typeof content === 'string') return [];
  if (content === undefined && isJsonObject(options)) return [];
  if (!Array.isArray(content)) {
    const message = 'the "content" of a system message must be a string or an array of text blocks';
    return [{ path, message }];
  }
  return checkBlocks(content, path, (block, at) => {
    if (typeof block.type === 'string' && SYSTEM_BLOCKS.includes(block.type)) return [];
    const message = 'a system message holds text only: put this block into a user message';
    return [{ path: at, message }];
  });
}

function checkBlock(
  block: JsonObject,
  path: ItemProblem['path'],
  role: 'user' | 'assistant',
): ItemProblem[] {
  switch (block.type) {
    case 'tool_use':
      if (role === 'user') {
        return [{ path, message: 'a tool_use block belongs in an assistant message' }];
      }
      return [
        ...checkName(block, 'id', path),
        ...checkName(block, 'name', path),
        ...checkInput(block, path),
      ];
    case 'tool_result':
      if (role === 'assistant') {
        return [{ path, message: 'a tool_result block belongs in a user message' }];
      }
      return [...checkName(block, 'tool_use_id', path), ...checkResultContent(block, path)];
    default:
      return [];
  }
}

function checkInput({ input }: JsonObject, path: ItemProblem['path']): ItemProblem[] {
  if (isJsonObject(input)) return [];
  const message =
    'the "input" of a tool_use must be an object: parse it when it is a string with JSON, and send ' +
    '{} for a call without input';
  return [{ path: [...path, 'input'], message }];
}

function checkResultContent(block: JsonObject, path: ItemProblem['path']): ItemProblem[] {
  const content = block.content ?? '';
  if (typeof content === 'string') return [];
  const at = [...path, 'content'];
  if (Array.isArray(content)) return checkBlocks(content, at);
  return [{ path: at, message: 'the "content" of a tool_result must be a string or an array' }];
}
