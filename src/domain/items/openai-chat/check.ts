import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { ItemProblem } from '../codec.ts';
import { checkBlocks, checkItem, checkName } from '../shape.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** The shape rules of a Chat Completions message, see `Codec.check`. */
export function checkOpenaiChat(item: Json): ItemProblem[] {
  return checkItem(item, checkMessage);
}

function checkMessage(message: JsonObject): ItemProblem[] {
  const { role } = message;
  if (typeof role !== 'string' || !ROLES.includes(role)) {
    const known = ROLES.map((name) => `"${name}"`).join(', ');
    return [{ path: ['role'], message: `"role" must be one of ${known}` }];
  }
  return [
    ...checkContent(message),
    ...(role === 'tool' ? checkName(message, 'tool_call_id', []) : []),
    ...(role === 'function' ? checkName(message, 'name', []) : []),
    ...checkToolCalls(message),
  ];
}

function checkContent({ role, content }: JsonObject): ItemProblem[] {
  const path = ['content'];
  if (typeof content === 'string') return [];
  if (Array.isArray(content)) return checkBlocks(content, path);
  if (content !== undefined && content !== null) {
    return [{ path, message: '"content" must be a string, an array of parts, or null' }];
  }
  const mayBeAbsent = role === 'assistant' || role === 'tool' || role === 'function';
  if (mayBeAbsent) return [];
  return [{ path, message: `a ${String(role)} message needs a "content" (string or array)` }];
}

function checkToolCalls({ role, tool_calls: calls }: JsonObject): ItemProblem[] {
  const path = ['tool_calls'];
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) return [{ path, message: '"tool_calls" must be an array' }];
  if (calls.length > 0 && role !== 'assistant') {
    return [{ path, message: 'only an assistant message has "tool_calls": change the role' }];
  }
  return calls.flatMap((call, index) => checkCall(call, [...path, index]));
}

function checkCall(call: Json, path: ItemProblem['path']): ItemProblem[] {
  if (!isJsonObject(call)) return [{ path, message: 'a tool call must be an object' }];
  const problems = checkName(call, 'id', path);
  const kind = call.type === 'custom' ? 'custom' : 'function';
  const body = call[kind];
  if (!isJsonObject(body)) {
    problems.push({ path: [...path, kind], message: `a tool call needs a "${kind}" object` });
    return problems;
  }
  problems.push(...checkName(body, 'name', [...path, kind]));
  if (kind === 'function' && typeof body.arguments !== 'string' && !isJsonObject(body.arguments)) {
    problems.push({
      path: [...path, kind, 'arguments'],
      message: '"arguments" must be a string with JSON, or an object',
    });
  }
  return problems;
}
