import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { ItemProblem } from '../codec.ts';
import { checkBlocks, checkItem, checkName } from '../shape.ts';

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** The shape rules of a model message of the AI SDK, see `Codec.check`. */
export function checkAiSdk(item: Json): ItemProblem[] {
  return checkItem(item, checkMessage);
}

function checkMessage(message: JsonObject): ItemProblem[] {
  const { role, content } = message;
  const path = ['content'];
  if (typeof role !== 'string' || !ROLES.includes(role)) {
    const known = ROLES.map((name) => `"${name}"`).join(', ');
    return [{ path: ['role'], message: `"role" must be one of ${known}` }];
  }
  if (typeof content === 'string' && role !== 'tool') return [];
  if (Array.isArray(content) && role !== 'system') return checkBlocks(content, path, checkPart);
  const must = MUST_BE.get(role) ?? 'a string or an array of parts';
  return [{ path, message: `the "content" of a ${role} message must be ${must}` }];
}

const MUST_BE: ReadonlyMap<string, string> = new Map([
  ['system', 'a string'],
  ['tool', 'an array of parts'],
]);

function checkPart(part: JsonObject, path: ItemProblem['path']): ItemProblem[] {
  switch (part.type) {
    case 'tool-call':
      return [...checkName(part, 'toolCallId', path), ...checkName(part, 'toolName', path)];
    case 'tool-result':
      return [...checkName(part, 'toolCallId', path), ...checkOutput(part, path)];
    default:
      return [];
  }
}

/** Version 4 had the bare value, as `result`. */
function checkOutput({ output, result }: JsonObject, path: ItemProblem['path']): ItemProblem[] {
  if (output === undefined && result !== undefined) return [];
  if (isJsonObject(output) && typeof output.type === 'string') return [];
  return [
    {
      path: [...path, 'output'],
      message: 'the "output" of a tool result must be an object with a string "type"',
    },
  ];
}
