import { isFileName, nameKey } from '../../../src/domain/names.ts';
import type { Edit } from '../edits.ts';
import { entriesIn } from '../measures/changes.ts';
import { fileKeysIn } from '../names.ts';
import { fileNames } from '../touched.ts';
import { normalised } from '../words.ts';
import type { Log, Statement, Untrue } from './statement.ts';

const GONE = /delet|remov|renam|moved|gone|no longer|dropped|discard|temporary|clean/i;
/** Words by which a line says that it speaks of what was before. */
const BEFORE =
  /\b(?:was|were|had|old|former|formerly|before|previous|previously|removed?|deleted?|replaced?|instead|renamed?|no longer|original|originally|edited after|dropped|from)\b|→|->/i;
const SHORTEST = 16;

/** Files that are gone, and lines that were replaced, told as if they were still there. */
export function staleFiles(
  { rest, shown }: ShownApart,
  statements: readonly Statement[],
  log: Log,
): Untrue[] {
  return [
    ...goneFiles(statements, log),
    ...replacedLines(rest, log),
    ...replacedPieces(shown, log),
  ];
}

/** A line about a file that was deleted for good and does not say so. */
function goneFiles(statements: readonly Statement[], { edits, conversation }: Log): Untrue[] {
  const last = new Map(edits.map((edit) => [nameKey(edit.path), edit]));
  return statements.flatMap(({ text }): Untrue[] => {
    const [file = ''] = /^[*`]*([^\s*`:,]+)/.exec(text)?.slice(1) ?? [];
    const key = isFileName(file) ? nameKey(file) : '';
    const edit = last.get(key);
    if (edit?.kind !== 'deleted' || GONE.test(text)) return [];
    const isUsedLater = conversation.calls.some(
      ({ item, input, result }) =>
        item > edit.item &&
        result !== null &&
        fileNames(JSON.stringify(input)).map(nameKey).includes(key),
    );
    return isUsedLater ? [] : [{ lie: 'stale_file', text, why: 'the file was deleted' }];
  });
}

/** Under the name of a file a line that one of its edits took away and none put back. */
function replacedLines(text: string, log: Log): Untrue[] {
  const files = new Set(log.edits.map(({ path }) => nameKey(path)));
  return [...entriesIn(text, files)].flatMap(([file, entries]) => {
    const gone = goneLines(log.edits.filter(({ path }) => nameKey(path) === file));
    const lines = new Set(entries.flatMap((entry) => entry.split('\n')));
    return [...lines].flatMap((line): Untrue[] => {
      if (BEFORE.test(line) || /^\s*-(?!\s)/.test(line)) return [];
      const quoted = [line, ...[...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)];
      const stale = quoted.map(bare).find((one) => gone.has(one));
      if (stale === undefined || isSeenAfter(stale, gone.get(stale) ?? 0, log)) return [];
      return [{ lie: 'stale_file', text: line.trim(), why: `an edit of ${file} took it away` }];
    });
  });
}

/** In the text of a file what an edit took away that stood there once only, and none put back. */
function replacedPieces(shown: ReadonlyMap<string, string[]>, { edits }: Log): Untrue[] {
  return [...shown].flatMap(([file, lines]) => {
    const text = normalised(lines.join('\n'));
    const own = edits.filter(({ path }) => nameKey(path) === file);
    return own.flatMap(({ removed, is_unique }, index): Untrue[] => {
      const piece = normalised(removed);
      const isBack = own.slice(index).some(({ added }) => normalised(added).includes(piece));
      if (!is_unique || piece.length < SHORTEST || isBack || !text.includes(piece)) return [];
      const why = `an edit of ${file} took it away`;
      return [{ lie: 'stale_file', text: removed.trim().slice(0, 200), why }];
    });
  });
}

/** `File src/a.ts (as last known):` and the like, before the text of a file. */
const SHOWN = /^(?:[#*\s]*)(?:the )?(?:file|contents? of|current (?:text|state) of)\b.*:\s*$/i;

/** What a text says by itself, and the lines of the files that it shows, by their keys. */
type ShownApart = { rest: string; shown: Map<string, string[]> };

/** A text without the files that are shown in it, and these: each up to the next one. */
export function withoutShownFiles(text: string): ShownApart {
  const shown = new Map<string, string[]>();
  const rest: string[] = [];
  let lines: string[] | null = null;
  for (const line of text.split('\n')) {
    const [key, other] = SHOWN.test(line) ? fileKeysIn(line) : [];
    if (key !== undefined && other === undefined) {
      lines = shown.get(key) ?? [];
      shown.set(key, lines);
    } else (lines ?? rest).push(line);
  }
  return { rest: rest.join('\n'), shown };
}

/** The lines that are gone, each with the place of the edit that took it away. */
function goneLines(edits: readonly Edit[]): Map<string, number> {
  const gone = new Map<string, number>();
  for (const { added, removed, item } of edits) {
    for (const line of removed.split('\n').map(bare)) {
      if (line.length >= SHORTEST) gone.set(line, item);
    }
    for (const line of added.split('\n').map(bare)) gone.delete(line);
  }
  return gone;
}

/** The same line can stand in a file twice: then some later result shows it. */
function isSeenAfter(line: string, item: number, { conversation }: Log): boolean {
  return conversation.calls.some(
    ({ result }) =>
      result !== null && result.item > item + 1 && normalised(result.text).includes(line),
  );
}

/** A line without its number, white space and bullet. */
function bare(line: string): string {
  return normalised(line.replace(/^\s*\d+(?:→|\t|:\s)/, '').replace(/^\s*[-*•]\s+/, ''));
}
