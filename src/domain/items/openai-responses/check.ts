import type { Json, JsonObject } from '../../json.ts';
import type { ItemProblem } from '../codec.ts';
import { checkBlocks, checkItem, checkName } from '../shape.ts';
import { toldAs } from './tools.ts';

const ROLES = ['user', 'assistant', 'system', 'developer'];

const TRIGGER =
  'a "compaction_trigger" asks for a compaction and is no part of the conversation: leave it out, ' +
  'and request a compaction of this session instead';
const REFERENCE =
  'an "item_reference" names an item that only the provider holds: append the item itself';

/** The shape rules of a Responses item, see `Codec.check`. */
export function checkOpenaiResponses(item: Json): ItemProblem[] {
  return checkItem(item, checkResponsesItem);
}

function checkResponsesItem(item: JsonObject): ItemProblem[] {
  const type = item.type ?? (item.role === undefined ? null : 'message');
  if (typeof type !== 'string') {
    const message = 'an item needs a string "type", or a "role" and "content"';
    return [{ path: ['type'], message }];
  }
  switch (type) {
    case 'message':
      return checkMessage(item);
    case 'function_call':
      return [
        ...checkName(item, 'call_id', []),
        ...checkName(item, 'name', []),
        ...checkString(item, 'arguments', 'a string with JSON'),
      ];
    case 'custom_tool_call':
      return [
        ...checkName(item, 'call_id', []),
        ...checkName(item, 'name', []),
        ...checkString(item, 'input', 'a string'),
      ];
    case 'function_call_output':
      if (toldAs(item) !== undefined) return checkOutput(item);
      return [...checkName(item, 'call_id', []), ...checkOutput(item)];
    case 'custom_tool_call_output':
      return [...checkName(item, 'call_id', []), ...checkOutput(item)];
    case 'shell_call':
    case 'shell_call_output':
    case 'computer_call':
    case 'computer_call_output':
    case 'apply_patch_call':
    case 'apply_patch_call_output':
      return checkName(item, 'call_id', []);
    case 'local_shell_call':
    case 'local_shell_call_output':
      return typeof item.call_id === 'string' ? [] : checkName(item, 'id', []);
    case 'mcp_approval_request':
      return checkName(item, 'id', []);
    case 'mcp_approval_response':
      return checkName(item, 'approval_request_id', []);
    case 'compaction_trigger':
      return [{ path: ['type'], message: TRIGGER }];
    case 'item_reference':
      return [{ path: ['type'], message: REFERENCE }];
    default:
      return [];
  }
}

function checkMessage({ role, content }: JsonObject): ItemProblem[] {
  if (role === 'tool' || role === 'function') {
    const message = 'a tool result of this format is an item of type "function_call_output"';
    return [{ path: ['role'], message }];
  }
  if (typeof role !== 'string' || !ROLES.includes(role)) {
    const known = ROLES.map((name) => `"${name}"`).join(', ');
    return [{ path: ['role'], message: `"role" must be one of ${known}` }];
  }
  if (typeof content === 'string') return [];
  if (Array.isArray(content)) return checkBlocks(content, ['content']);
  return [{ path: ['content'], message: '"content" must be a string or an array of parts' }];
}

function checkString(item: JsonObject, field: string, wanted: string): ItemProblem[] {
  if (typeof item[field] === 'string') return [];
  return [{ path: [field], message: `"${field}" must be ${wanted}` }];
}

function checkOutput({ output }: JsonObject): ItemProblem[] {
  const path = ['output'];
  if (typeof output === 'string') return [];
  if (Array.isArray(output)) return checkBlocks(output, path);
  return [{ path, message: '"output" must be a string or an array of parts' }];
}
