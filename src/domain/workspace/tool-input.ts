import type { ToolCall } from '../items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../json.ts';

const PATH_FIELDS = [
  'file_path',
  'path',
  'filePath',
  'filename',
  'absolute_path',
  'target_file',
  'notebook_path',
  'file',
];

/** The name of a tool without the server that gives it, and without its dividers. */
export function toolName({ name }: ToolCall): string {
  const own = name.startsWith('mcp__') ? name.slice(name.lastIndexOf('__') + 2) : name;
  return own.toLowerCase().replaceAll(/[_.-]/g, '');
}

export function inputOf({ input }: ToolCall): JsonObject {
  return isJsonObject(input) ? input : {};
}

/** The file that a tool is asked to work on. */
export function pathOf(input: JsonObject): string | undefined {
  const path = firstString(input, PATH_FIELDS);
  return path !== undefined && /^\P{Cc}{1,4096}$/u.test(path) ? path : undefined;
}

export function firstString(input: JsonObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = stringField(input, field);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A whole number in one of these fields; models write some of them as text. */
export function firstNumber(input: JsonObject, fields: readonly string[]): number | undefined {
  for (const field of fields) {
    const value = input[field];
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  }
  return undefined;
}
