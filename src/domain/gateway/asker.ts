import { canonicalJson } from '../canonical-json.ts';
import type { Item } from '../items/item.ts';
import { INSTRUCTING } from '../items/leading-instructions.ts';
import { additionalTools } from '../items/openai-responses/settings.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

const INSTRUCTIONS = ['system', 'instructions'] as const;
const CACHE_MARKS: ReadonlySet<string> = new Set(['cache_control']);

/**
 * Who asks: its instructions, in the body or at the head of the history, and the names of its tools. A
 * client that asks for a title or a summary beside a conversation does so with others.
 */
export function askerOf(body: JsonObject, items: readonly Item[]): string {
  const end = items.findIndex(({ role }) => !INSTRUCTING.has(role));
  const told = items.slice(0, end === -1 ? items.length : end).map(({ content = null }) => content);
  const instructions = INSTRUCTIONS.map((field): Json => body[field] ?? null);
  const given = [...(Array.isArray(body.tools) ? body.tools : []), ...additionalTools(items)];
  const tools = given.map(toolName).sort();
  return canonicalJson([...instructions, told, tools], CACHE_MARKS);
}

function toolName(tool: Json): string {
  if (!isJsonObject(tool)) return '';
  const { function: inner } = tool;
  const name = isJsonObject(inner) ? inner.name : tool.name;
  return typeof name === 'string' ? name : `${tool.type}`;
}
