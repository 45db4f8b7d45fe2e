import { isFileName, nameKey, namesStandingIn } from '../../../src/domain/names.ts';
import type { Candidate } from '../candidate.ts';
import type { Edit } from '../edits.ts';
import { fileKeysIn, keysIn } from '../names.ts';
import { fileNames } from '../touched.ts';
import type { Score } from '../words.ts';

/** A file that was edited, and what its edits put there that was not there before. */
export type Change = { file: string; introduced: ReadonlySet<string> };

/**
 * The edited files that are still there and whose edits introduced a name. What an edit both takes
 * away and puts back is not new, nor is the name of the file itself; what a later one takes out again
 * is not asked for: it would be untrue.
 */
export function changesOf(edits: readonly Edit[]): Change[] {
  const byFile = new Map<string, Edit[]>();
  for (const edit of edits) {
    const key = nameKey(edit.path);
    if (edit.kind === 'deleted') byFile.delete(key);
    else byFile.set(key, [...(byFile.get(key) ?? []), edit]);
  }
  return [...byFile]
    .map(([file, own]) => ({ file, introduced: introducedBy(file, own) }))
    .filter(({ introduced }) => introduced.size > 0);
}

function introducedBy(file: string, edits: readonly Edit[]): Set<string> {
  const names = new Set<string>();
  for (const { added, removed } of edits) {
    const before = keysIn(removed);
    const after = keysIn(added);
    for (const key of after) if (!before.has(key) && key !== file) names.add(key);
    for (const key of before) if (!after.has(key)) names.delete(key);
  }
  return names;
}

/** The share of changed files in whose entry something stands that their edits introduced. */
export function measureChanges(changes: readonly Change[], { read }: Candidate): Score {
  const entries = entriesIn(read.text, new Set(changes.map(({ file }) => file)));
  const isTold = ({ file, introduced }: Change): boolean =>
    (entries.get(file) ?? []).some((entry) => {
      const stands = namesStandingIn(entry);
      return [...introduced].some(stands);
    });
  return { found: changes.filter(isTold).length, of: changes.length };
}

/** Lines that name more files than this list them: each file has what stands up to the next one. */
const MOST_IN_ENTRY = 3;
/** An entry never goes on for longer, characters. */
const MOST_CHARACTERS = 3_000;

/**
 * What a text says under the name of each file: the line that names it, with what is indented more or
 * follows without naming another file, up to a heading or a blank line before other things.
 */
export function entriesIn(text: string, files: ReadonlySet<string>): Map<string, string[]> {
  const entries = new Map<string, string[]>();
  const add = (file: string, entry: string) =>
    entries.set(file, [...(entries.get(file) ?? []), entry.slice(0, MOST_CHARACTERS)]);
  const lines = text.split('\n');
  const named = lines.map((line) => fileKeysIn(line));
  for (const [index, line] of lines.entries()) {
    const own = named[index] ?? [];
    if (!own.some((file) => files.has(file))) continue;
    if (own.length > MOST_IN_ENTRY) {
      for (const { file, piece } of pieces(line)) if (files.has(file)) add(file, piece);
      continue;
    }
    const entry = [line, ...following(lines, named, index)].join('\n');
    for (const file of own) if (files.has(file)) add(file, entry);
  }
  return entries;
}

function following(
  lines: readonly string[],
  named: readonly (readonly string[])[],
  index: number,
): string[] {
  const depth = indentation(lines[index] ?? '');
  const own = named[index] ?? [];
  const rest: string[] = [];
  let characters = 0;
  for (let at = index + 1; at < lines.length && characters < MOST_CHARACTERS; at++) {
    const line = lines[at] ?? '';
    const isDeeper = indentation(line) > depth;
    const namesOther = (named[at] ?? []).some((file) => !own.includes(file));
    if (/^#{1,6} /.test(line) || (!isDeeper && line.trim() !== '' && namesOther)) break;
    rest.push(line);
    characters += line.length;
  }
  return rest;
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}

/** Of a line that lists files, each with what stands between its name and the next. */
function pieces(line: string): { file: string; piece: string }[] {
  const found: { file: string; at: number }[] = [];
  let from = 0;
  for (const name of fileNames(line)) {
    if (!isFileName(name)) continue;
    const at = line.indexOf(name, from);
    if (at < 0) continue;
    found.push({ file: nameKey(name), at });
    from = at + name.length;
  }
  return found.map(({ file, at }, index) => ({
    file,
    piece: line.slice(at, found[index + 1]?.at ?? line.length),
  }));
}
