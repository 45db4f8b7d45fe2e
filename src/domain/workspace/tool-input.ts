import type { ToolCall } from '../items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../json.ts';
import { rememberingWords } from '../remember.ts';

/** How programs name the file that a tool is to work on. */
export const PATH_FIELDS: readonly string[] =
  `file_path path filePath filepath filename absolute_path target_file notebook_path file
  relative_path absolutePath pathInProject TargetFile AbsolutePath`.split(/\s+/);

/** The name of a tool without the server that gives it, and without its dividers. */
export function toolName({ name }: ToolCall): string {
  return undivided(name);
}

const undivided = rememberingWords((name) => ownName(name).toLowerCase().replaceAll(/[_.-]/g, ''));

/**
 * The name that a tool has at its server: programs put the server in front of it, as in
 * `mcp__server__tool`, `server__tool` and `mcp--server--tool`.
 */
export const ownName = rememberingWords((name) => {
  const own = name.split(/__|--/).findLast((part) => part !== '') ?? name;
  return own.replace(/^functions\./, '');
});

/** The words of a tool's name, in small letters: `multi_replace`, `multiReplace` and `multi-replace`. */
export const wordsOf = rememberingWords((name): readonly string[] => {
  const spaced = name.slice(0, 500).replaceAll(/([a-z\d])([A-Z])/g, '$1 $2');
  return spaced
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
});

/** Whether a call is about files of a repository that lies elsewhere, as with GitHub's server. */
export function isRemote(input: JsonObject): boolean {
  return typeof input.owner === 'string' && typeof input.repo === 'string';
}

export function inputOf({ input }: ToolCall): JsonObject {
  return isJsonObject(input) ? input : {};
}

/** A page, an issue or what else a tool reads by an address: no file. */
const ADDRESS = /^(?!file:)[a-z][a-z\d+.-]{1,30}:\/\//i;

/** The file that a tool is asked to work on. */
export function pathOf(input: JsonObject): string | undefined {
  const path = firstString(input, PATH_FIELDS);
  if (path === undefined || ADDRESS.test(path)) return undefined;
  return /^\P{Cc}{1,4096}$/u.test(path) ? path : undefined;
}

/** Descendants of pi write the lines that they want to read behind the path: `a.ts:12-40`, `a.ts:raw`. */
const LINES = /(?:(?<=[^:]):(\d{1,9})(?:-(\d{1,9})?)?)?(?::raw)?$/;

/** The path that is to be read, without what of it is wanted. */
export function pathWithoutLines(path: string): string {
  return path.replace(LINES, '');
}

/** The lines that a path names; undefined where it names none. */
export function linesWanted(path: string): { start: number; end: number | undefined } | undefined {
  const [, start, end] = LINES.exec(path) ?? [];
  if (start === undefined) return undefined;
  return { start: Number(start), end: end === undefined ? undefined : Number(end) };
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
