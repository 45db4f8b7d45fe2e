import type { ToolCall } from '../items/item.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { FileAction } from './action.ts';
import { LONGEST_PATH } from './paths.ts';
import { actionsOfProgram } from './program-text.ts';
import { mayWriteByName } from './read-only.ts';

/** More texts, and deeper ones, than any tool is given names in. */
const MOST_TEXTS = 500;
const DEEPEST = 10;

/** Fields of which a tool changes what lies in the folder, or fits the pattern, that they name. */
const PLACES =
  /^(?:paths?|files?|file_?paths?|directory|dir|folder|glob|include|targets?|relative_path)$/i;
const PROGRAMS = /^(?:code|python_?code|program|source_?code|expression)$/i;
/** The lines of a patch that name files, in the formats of Codex and of `diff`. */
const PATCH_NAME =
  /^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |(?:---|\+\+\+) (?:[ab]\/)?)([^\t\n]{1,4096})/gm;

/**
 * What a call of a tool may have changed of which only its input is known: every file that is named
 * anywhere in it. `by` is the name of the tool.
 */
export function namedActions({ name, input }: ToolCall): FileAction[] {
  const by = name.slice(0, 60);
  const texts = textsIn(input);
  if (texts === null) return [{ kind: 'all_changed', by }];
  const writes = mayWriteByName(name);
  return texts.flatMap(({ key, text }): FileAction[] => {
    if (text === '') return [];
    if (text.length <= LONGEST_PATH && !text.includes('\n') && !PROGRAMS.test(key)) {
      return writes && PLACES.test(key)
        ? [{ kind: 'may_change', targets: [text], by }]
        : [{ kind: 'changed', path: text, by, isCertain: false }];
    }
    if (PROGRAMS.test(key)) return actionsOfProgram(text, by);
    const paths = new Set([...text.matchAll(PATCH_NAME)].map(([, path = '']) => path.trimEnd()));
    return [...paths].map((path) => ({ kind: 'changed', path, by, isCertain: false }));
  });
}

type Text = { key: string; text: string };

/** The texts in an input, each with the field that it stands in; null when there are too many. */
function textsIn(input: Json): Text[] | null {
  const texts: Text[] = [];
  const open: { key: string; value: Json; depth: number }[] = [{ key: '', value: input, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, value, depth } = next;
    if (typeof value === 'string') texts.push({ key, text: value });
    if (texts.length + open.length > MOST_TEXTS || depth > DEEPEST) return null;
    if (Array.isArray(value)) {
      if (value.length > MOST_TEXTS) return null;
      for (const each of value) open.push({ key, value: each, depth: depth + 1 });
    } else if (isJsonObject(value)) {
      if (Object.keys(value).length > MOST_TEXTS) return null;
      for (const [field, each] of Object.entries(value)) {
        open.push({ key: field, value: each, depth: depth + 1 });
      }
    }
  }
  return texts;
}
