import { isFileName, nameKey } from '../../../src/domain/compaction/names.ts';
import { entriesIn } from '../measures/changes.ts';
import { fileNames } from '../touched.ts';
import { normalised } from '../words.ts';
import type { Log, Statement, Untrue } from './statement.ts';

const GONE = /delet|remov|renam|moved|gone|no longer|dropped|discard|temporary|clean/i;
/** Words by which a line says that it speaks of what was before. */
const BEFORE =
  /\b(?:was|were|had|old|former|formerly|before|previous|previously|removed?|deleted?|replaced?|instead|renamed?|no longer|original|originally|edited after|dropped|from)\b|→|->/i;
const SHORTEST = 16;

/** Files that are gone, and lines that were replaced, told as if they were still there. */
export function staleFiles(text: string, statements: readonly Statement[], log: Log): Untrue[] {
  return [...goneFiles(statements, log), ...replacedLines(text, log)];
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
function replacedLines(text: string, { edits }: Log): Untrue[] {
  const files = new Set(edits.map(({ path }) => nameKey(path)));
  const entries = entriesIn(text, files);
  return [...entries].flatMap(([file, own]) => {
    const gone = goneLines(edits.filter(({ path }) => nameKey(path) === file));
    const told = new Set(own.flatMap((entry) => entry.split('\n')));
    return [...told].flatMap((line): Untrue[] => {
      if (BEFORE.test(line) || /^\s*-(?!\s)/.test(line)) return [];
      const quoted = [line, ...[...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)];
      const stale = quoted.map(bare).find((one) => gone.has(one));
      return stale === undefined
        ? []
        : [{ lie: 'stale_file', text: line.trim(), why: `an edit of ${file} took it away` }];
    });
  });
}

function goneLines(edits: readonly { added: string; removed: string }[]): Set<string> {
  const gone = new Set<string>();
  for (const { added, removed } of edits) {
    for (const line of removed.split('\n').map(bare)) if (line.length >= SHORTEST) gone.add(line);
    for (const line of added.split('\n').map(bare)) gone.delete(line);
  }
  return gone;
}

/** A line without its number, white space and bullet. */
function bare(line: string): string {
  return normalised(line.replace(/^\s*\d+(?:→|\t|:\s)/, '').replace(/^\s*[-*•]\s+/, ''));
}
