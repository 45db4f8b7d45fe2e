import { ownName, wordsOf } from './tool-input.ts';

const READING: ReadonlySet<string> = new Set(
  `read get list search find grep glob ls view show fetch query lookup look check inspect describe count
  diff compare browse explore think ask web navigate status log logs screenshot snapshot wait resolve
  tree info stat symbols overview outline test tests lint diagnostics errors problems usages references
  definition hover validate analyze analyse`.split(/\s+/),
);
const WRITING: ReadonlySet<string> = new Set(
  `write edit replace create update insert delete remove rename move apply patch set save fix format
  reformat refactor modify add append put download checkout reset merge rebase revert migrate
  organize convert overwrite copy`.split(/\s+/),
);
/** In front of what it would do, or behind. */
const SHOWING: ReadonlySet<string> = new Set(
  'preview propose suggest validate check review simulate dry'.split(' '),
);
const FOLDERS: ReadonlySet<string> = new Set(['directory', 'directories', 'folder', 'dir']);

/** Whether the words of a tool's name say that it writes. */
export function mayWriteByName(name: string): boolean {
  return wordsOf(ownName(name)).some((word) => WRITING.has(word));
}

/** Whether the words of a tool's name say that it may only show what a change would do: `preview_edit`. */
export function mayOnlyShowByName(name: string): boolean {
  return wordsOf(ownName(name)).some((word) => SHOWING.has(word));
}

/** Whether the words of a tool's name say that it changes no file. What they do not tell may change some. */
export function isReadOnlyByName(name: string): boolean {
  const words = wordsOf(ownName(name));
  if (words.includes('create') && words.some((word) => FOLDERS.has(word))) return true;
  return !words.some((word) => WRITING.has(word)) && words.some((word) => READING.has(word));
}
