import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { ItemProblem } from '../codec.ts';
import { checkBlocks, checkItem, checkName } from '../shape.ts';

/** The shape rules of an Anthropic message, see `Codec.check`. */
export function checkAnthropic(item: Json): ItemProblem[] {
  return checkItem(item, checkMessage);
}

function checkMessage(message: JsonObject): ItemProblem[] {
  const { role, content } = message;
  if (role === 'system') {
    return [
      {
        path: ['role'],
        message:
          'an Anthropic message has no role "system": leave it out of the session, and send its ' +
          'text as the "system" parameter of your own request to the model',
      },
    ];
  }
  if (role !== 'user' && role !== 'assistant') {
    return [{ path: ['role'], message: '"role" must be "user" or "assistant"' }];
  }
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) {
    return [
      { path: ['content'], message: '"content" must be a string or an array of content blocks' },
    ];
  }
  return checkBlocks(content, ['content'], (block, path) => checkBlock(block, path, role));
}

function checkBlock(
  block: JsonObject,
  path: ItemProblem['path'],
  role: 'user' | 'assistant',
): ItemProblem[] {
  switch (block.type) {
    case 'tool_use':
      if (role === 'user') {
        return [{ path, message: 'a tool_use block belongs into an assistant message' }];
      }
      return [
        ...checkName(block, 'id', path),
        ...checkName(block, 'name', path),
        ...checkInput(block, path),
      ];
    case 'tool_result':
      if (role === 'assistant') {
        return [{ path, message: 'a tool_result block belongs into a user message' }];
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
