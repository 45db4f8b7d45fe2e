import { isJsonObject } from '../../src/domain/json.ts';
import { isFileName, readNames } from '../../src/domain/names.ts';
import type { Call } from './conversation.ts';
import { pathField } from './edits.ts';
import { commandOf } from './runs.ts';

/**
 * The files that a call works on: the one that its arguments name, those of a patch, those that stand
 * in its command. A folder is none, nor is what only stands in the text that it writes.
 */
export function filesOf(call: Call): string[] {
  const { input } = call;
  if (isJsonObject(input)) {
    const path = pathField(input);
    if (path !== undefined) return isFileName(path) ? [path] : [];
  }
  const text = typeof input === 'string' ? input : (commandOf(call) ?? '');
  const patched = [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)];
  if (patched.length > 0) return patched.map(([, path = '']) => path.trim());
  return fileNames(text.replace(/<<-?\s*['"]?(\w+)['"]?[^\n]*\n[\s\S]*?\n\s*\1\b/g, ''));
}

/** The names of files in a text, in the order in which they stand there, repeated ones too. */
export function fileNames(text: string): string[] {
  const names: string[] = [];
  readNames(text, (name) => {
    if (isFileName(name)) names.push(name);
  });
  return names;
}
