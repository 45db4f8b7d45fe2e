/**
 * What a name is and how it stands in a text, defined once (docs/name-matching.md). A name is a file
 * name, a path, an identifier, a flag or an id: something that a reader can search for, never a plain
 * word. All patterns are linear: each looks at a character a bounded number of times.
 */

import { isEncoded, isIdentifier, MAX_IDENTIFIER } from './identifiers.ts';
import { eachRun, type OnRun, type Part } from './name-runs.ts';
import { RunMemory } from './run-memory.ts';
import { besideStyles } from './style-values.ts';
import type { Units } from './text-units.ts';

/** A path with more segments than this is matched by its last ones. */
const MAX_SEGMENTS = 32;

const EXTENSIONS = new Set(
  (
    'astro avif bash bat bazel bib bin bmp bz2 c cc cfg cjs clj cmake conf cpp crt cs cshtml csproj css csv ' +
    'cts cu cxx dart db diff dockerfile dylib ejs elm env erb erl ex exe exs f90 fish flac fs fsproj gd ' +
    'gemspec gif glsl go gradle graphql groovy gz h hbs hcl hh hpp hs htm html ico ini ipynb jar java jpeg jpg js jl json json5 jsonc jsonl jsx ' +
    'key kt kts less lock log lua m4a md mdx mjs mk ml mod mov mp3 mp4 mts ndjson nix o ods odt out ' +
    'parquet patch pb pdf pem php pl plist png po prisma proto properties ps1 psd psd1 psm1 py pyc pyi pyx r razor rb ' +
    'rs rst sass scala scss sh sln so sol sql sqlite sqlite3 srt styl sum svelte svg swift tar tex tf ' +
    'tfvars tgz tiff toml traj tres ts tscn tsv tsx ttf txt uproject vb vcxproj vue wasm wav webm webp wgsl ' +
    'woff woff2 work xaml xls xlsx xml xz yaml yml zig zip zsh tmpl tpl'
  ).split(' '),
);

/**
 * The names of a text as they are written there, each once, in the order of their first mention.
 * Paths come whole; of `a.b.cD` the members that are names by themselves come, else the whole.
 */
export function extractNames(text: string): string[] {
  const names = new Set<string>();
  readNames(text, (name) => names.add(name));
  return [...names];
}

/** Reads a text, or a part of one, and hands on every mention of a name, in order, with its `nameKey`. */
export function readNames(
  text: string,
  onName: (name: string, key: string) => void,
  part: Part = { from: 0, to: text.length },
): void {
  const onRun: OnRun = (start, end, isPlain, units, offset) => {
    if (isPlain) return;
    const memory = isQuoted(units, start - offset, end - offset) ? QUOTED : UNQUOTED;
    for (const { name, key } of memory.of(units, start - offset, end - offset)) onName(name, key);
  };
  for (const each of besideStyles(text, part)) eachRun(text, onRun, each);
}

type Known = readonly { name: string; key: string }[];

const QUOTED = new RunMemory((run) => withKeys(namesOfRun(run, true)));
const UNQUOTED = new RunMemory((run) => withKeys(namesOfRun(run, false)));

function withKeys(names: readonly string[]): Known {
  return names.length === 0 ? NO_NAMES : names.map((name) => ({ name, key: nameKey(name) }));
}

const NO_NAMES: Known = [];

/**
 * What two spellings of one name have in common: the base name of a file path (`src/a/store.ts` and
 * `./store.ts` are both `store.ts`), the path without `./` for a folder, any other name itself.
 */
export function nameKey(name: string): string {
  if (!name.includes('/')) return name;
  const path = trimPath(name);
  const base = baseName(path);
  return isNameByItself(base) ? base : path;
}

/**
 * Asks a text for names: true when the name stands there as a whole word. A path stands where its
 * full form, a longer path that ends with it, or its base name (if that is a name) stands.
 */
export function namesStandingIn(text: string): (name: string) => boolean {
  const words = new Set<string>();
  const reading = ++readings;
  eachRun(text, (start, end, isPlain, units, offset) => {
    // Words that are plain are so many that they would take the places of all others.
    const word = isPlain ? text.slice(start, end) : '';
    if (isPlain && !word.includes('.')) {
      if (word.length > 1) words.add(word);
      return;
    }
    const run = STANDING.of(units, start - offset, end - offset);
    if (run.reading === reading) return;
    run.reading = reading;
    for (const word of run.words) words.add(word);
  });
  return (name) => words.has(name) || words.has(trimPath(name)) || words.has(nameKey(name));
}

/** How many texts were asked so far, and of each run in which it was met last. */
let readings = 0;
const STANDING = new RunMemory((run) => ({ words: wordsIn(run), reading: 0 }));

/** The last segment of a path with slashes; the name itself when it has none. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The file name with the folder that it is in. */
export function shortPath(path: string): string {
  const last = path.lastIndexOf('/');
  return last <= 0 ? path : path.slice(path.lastIndexOf('/', last - 1) + 1);
}

/** Whether the name is a path with a file ending, or a file name with a known one. */
export function isFileName(name: string): boolean {
  const base = baseName(trimPath(name));
  return name.includes('/') ? hasExtension(base) : hasKnownExtension(base);
}

/** What stands in a text where this run does: its tokens, the ends of paths, the members of names. */
function wordsIn(run: string): string[] {
  const words = new Set<string>();
  for (const token of tokensOf(run)) {
    words.add(token);
    let slash = token.lastIndexOf('/');
    const isPath = slash >= 0;
    for (let segments = 0; slash >= 0 && segments < MAX_SEGMENTS; segments++) {
      words.add(token.slice(slash + 1));
      slash = slash === 0 ? -1 : token.lastIndexOf('/', slash - 1);
    }
    if (isPath || hasKnownExtension(token)) continue;
    // Of `.style.Color` the name is what stands behind the dot.
    if (token.startsWith('.')) words.add(token.slice(1));
    for (const member of token.split('.')) words.add(member);
  }
  return [...words];
}

/** Between two quotation marks of a kind: then also words with dashes are names. */
function isQuoted(units: Units, start: number, end: number): boolean {
  const before = units[start - 1];
  return (
    (before === BACKTICK || before === QUOTE || before === APOSTROPHE) && units[end] === before
  );
}

const BACKTICK = 0x60;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;

function namesOfRun(run: string, quoted: boolean): string[] {
  const names: string[] = [];
  for (const token of tokensOf(run))
    for (const name of namesOfToken(token, quoted)) names.push(name);
  return names;
}

/** The parts of a run that could be names: split at `--`, `..`, `//` inside, ends trimmed. */
function tokensOf(run: string): string[] {
  if (run.startsWith('#')) return [run];
  if (run.charAt(1) === ':') return [trimmed(run.replace(/\\+/g, '/'), 0)].filter(isLongEnough);
  if (!MAY_BE_SEVERAL.test(run)) {
    const token = trimmed(run, run.startsWith('-') ? 1 : 0);
    return isLongEnough(token) ? [token] : [];
  }
  // `@scope/package` is one name; `user@host` and `package@version` are two.
  const pieces = run.startsWith('@') && run.includes('/') ? [run] : run.split('@');
  return pieces.flatMap((piece) =>
    piece
      .split(/(?<=[^-])--+|(?<=[^./])\.\.+|(?<=[^/])\/\/+/)
      .map((part) => trimmed(part, leadingJunk(part)))
      .filter(isLongEnough),
  );
}

/** What parts a run, and what may stand in front of a name. */
const MAY_BE_SEVERAL = /@|--|\.\.|\/\//;

function isLongEnough(token: string): boolean {
  return token.length > 1 && token.lastIndexOf('~') <= 0;
}

/** How many characters before the name do not belong to it: a bullet's dash, the slashes of a URL. */
function leadingJunk(part: string): number {
  if (/^--[a-z]/.test(part)) return 0;
  let start = 0;
  while (part[start] === '-') start++;
  while (part[start] === '/' && part[start + 1] === '/') start++;
  return part.startsWith('//') ? start + 1 : start;
}

function trimmed(text: string, start: number): string {
  let end = text.length;
  while (end > start && './@~-'.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function namesOfToken(token: string, quoted: boolean): string[] {
  if (token.startsWith('--')) return token.length > 3 ? [token] : [];
  if (token.startsWith('#')) return [token];
  if (token.includes('/')) return isPath(token) ? [token] : token.split('/').filter(isNameByItself);
  if (isNameByItself(token)) return [token];
  if (token.includes('.')) return namesOfMembers(token);
  return quoted && /^[A-Za-z][\w]*(?:-[\w]+)+$/.test(token) ? [token] : [];
}

function namesOfMembers(token: string): string[] {
  const members = token.split('.').filter((member) => member !== '');
  const names = members.filter(isNameByItself);
  if (names.length > 0) return names;
  // `.length` has no owner, `t.Run` and `e.g` no telling one: single letters name nothing.
  if (members.length < 2 || !members.every((member) => /^[A-Za-z]\w+$/.test(member))) return [];
  return members.some((member) => member.length > 2) && token.length <= MAX_IDENTIFIER
    ? [members.join('.')]
    : [];
}

function isNameByItself(word: string): boolean {
  return hasKnownExtension(word) || isIdentifier(word);
}

/** `and/or` is no path: a path is anchored, or has a name or a dot in it, or at least three words. */
function isPath(token: string): boolean {
  const segments = trimPath(token).split('/');
  const words = segments.filter((segment) => segment !== '');
  if (words.length === 0 || words.every((word) => /^[\d.-]+$/.test(word))) return false;
  if (words.some(isEncoded)) return false;
  if (hasExtension(words[words.length - 1] ?? '') || /^(?:~|\.{1,2})?\//.test(token)) {
    // `</b>` and `/compact` are a tag and a command.
    return words.length > 1 || hasExtension(words[0] ?? '');
  }
  if (token.startsWith('@')) return true;
  return words.length > 2 || words.some((word) => word.startsWith('.') || isNameByItself(word));
}

function hasExtension(base: string): boolean {
  return /^[\w.-]*[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(base) || hasKnownExtension(base);
}

/** Members of objects that everybody knows, whose names end as files do. */
const MEMBER =
  /^(?:(?:window\.)?console\.log|(?:math|np|numpy|torch|logger)\.log|(?:process|import\.meta)\.env)$/i;

function hasKnownExtension(base: string): boolean {
  const dot = base.lastIndexOf('.');
  if (dot < 0 || base.length > 160 || base.includes('/') || MEMBER.test(base)) return false;
  if (dot === 0) return /^\.[a-z]*(?:rc|ignore|env|config|attributes)$/.test(base);
  return EXTENSIONS.has(base.slice(dot + 1).toLowerCase());
}

function trimPath(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}
