import { addTo } from '../../group-by.ts';
import { MOST_NAMES } from '../../ledger/brought-in.ts';
import { addedText } from '../../ledger/facts.ts';
import { heatOf } from '../../ledger/files.ts';
import type { File, Ledger, Name } from '../../ledger/ledger.ts';
import { scoreOf } from '../../ledger/names-index.ts';
import { takenBackText } from '../../ledger/taken-back.ts';
import { baseName, isFileName, nameKey, shortPath } from '../../names.ts';
import { isAnchored } from '../../workspace/paths.ts';
import type { Ledgers } from './ledgers.ts';
import type { Line, Tellings } from './line.ts';

/** Written for the folder that most files share. */
const FOLDER_MARK = '…/';
/** How many files that were only read, and how many names of each file are told, in so many words. */
const LEVELS = [
  { read: 0, names: 2, removed: 0, line: false },
  { read: 2, names: 3, removed: 1, line: false },
  { read: 6, names: 5, removed: 2, line: false },
  { read: 12, names: 8, removed: 3, line: false },
  { read: 24, names: 10, removed: 5, line: true },
  { read: 48, names: 14, removed: 8, line: true },
  { read: 120, names: 24, removed: 12, line: true },
  { read: 400, names: 60, removed: 24, line: true },
] as const;

/** The files that were changed, and what in them; then those that were read, with what matters in them. */
export function fileTellings({ covered, standing }: Ledgers): Tellings {
  if (covered.files.length === 0) return [];
  const files = covered.files.toSorted(
    (a, b) => heatOf(b, covered.calls) - heatOf(a, covered.calls),
  );
  const changed = files.filter(({ edits }) => edits > 0);
  const others = files.filter(({ edits, reads }) => edits === 0 && reads > 0);
  const names = namesByFile(covered, standing);
  const now = new Map(standing.files.map((file) => [file.path, file]));
  return LEVELS.map((level) => () => {
    const told = [...changed, ...others.slice(0, level.read)];
    const folder = commonFolder(told.map(({ path }) => path));
    const all = told.map((file): Told => {
      const { path, state } = file;
      const later = now.get(path);
      const facts = [
        ...factsOf(withoutOld(file, later), level, names.get(shortPath(path)) ?? []),
        ...sinceThen(file, later),
      ];
      return {
        path: shortened(path, folder),
        isGone: state !== 'present',
        facts: facts.join('; '),
      };
    });
    const lines = gathered(all).map((text, place): Line => ({ text, worth: told.length - place }));
    const note = { text: `Here ${FOLDER_MARK} stands for ${folder}`, worth: told.length + 1 };
    return folder === '' || lines.length === 0 ? lines : [note, ...lines];
  });
}

type Level = (typeof LEVELS)[number];

type Told = { path: string; isGone: boolean; facts: string };

/** A line for each file, and one for those of a folder that are not there any more in the same way. */
function gathered(told: readonly Told[]): string[] {
  const gone = new Map<string, string[]>();
  const keyOf = ({ path, facts }: Told) => `${folderOf(path)}\n${facts}`;
  for (const one of told) {
    if (one.isGone) addTo(gone, keyOf(one), baseName(one.path));
  }
  return told.flatMap((one): string[] => {
    const bases = one.isGone ? (gone.get(keyOf(one)) ?? []) : [];
    if (bases.length < 2) return [`${one.path}: ${one.facts}`];
    const isFirst = bases[0] === baseName(one.path);
    return isFirst ? [`${folderOf(one.path)}{${bases.join(', ')}}: ${one.facts}`] : [];
  });
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** What has happened to a file after what the summary covers. */
function sinceThen(file: File, later: File | undefined): string[] {
  if (file.state !== 'present' || later === undefined) return [];
  if (later.state !== 'present') return [`${later.state} since`];
  return later.changed_at > file.changed_at ? ['changed since'] : [];
}

/** A file without what a later change has taken out of it. */
function withoutOld(file: File, later: File | undefined): File {
  if (later?.state !== 'present' || later.changed_at <= file.changed_at) return file;
  const { line, ...others } = file;
  const [stays, gone] = [new Set(later.added), new Set(later.removed)];
  // Where there are more than are kept, one that is not among them may be there.
  const isFull = stays.size >= MOST_NAMES;
  const added = file.added.filter((name) => stays.has(name) || (isFull && !gone.has(name)));
  return { ...others, added, ...(line !== undefined && line === later.line && { line }) };
}

function factsOf(file: File, level: Level, met: readonly string[]): string[] {
  const facts = [usesOf(file)];
  const back = takenBackText(file);
  if (back !== '' && file.state === 'present') facts.push(back);
  const { added, removed, line } = file;
  if (file.state === 'present') {
    if (added.length > 0) facts.push(addedText(file, added.slice(0, level.names)));
    if (line !== undefined && (added.length === 0 || level.line)) facts.push(`last: ${line}`);
    const told = new Set(added.slice(0, level.names));
    const others = met.filter((name) => !told.has(name) && !removed.includes(name));
    if (others.length > 0) facts.push(`has ${others.slice(0, level.names).join(', ')}`);
  }
  const gone = removed.slice(0, level.removed);
  if (gone.length > 0) facts.push(`removed ${gone.join(', ')}`);
  return facts;
}

function usesOf(file: File): string {
  const { edits, reads, state, moved_to, copied_from, is_created } = file;
  if (state === 'deleted') return is_created ? 'created, then deleted' : 'deleted';
  if (state === 'moved') return `moved to ${moved_to ?? 'another place'}`;
  if (copied_from !== undefined) {
    const copied = `copied from ${copied_from}`;
    return edits > 1 ? `${copied}, ${changed(edits - 1)}` : copied;
  }
  // The first of its edits has created it.
  if (is_created) return edits > 1 ? `created, ${changed(edits - 1)}` : 'created';
  if (edits > 0) return changed(edits);
  return reads > 1 ? `read ${reads}×` : 'read';
}

function changed(times: number): string {
  return times > 1 ? `changed ${times}×` : 'changed';
}

function shortened(path: string, folder: string): string {
  return folder !== '' && path.startsWith(folder) ? FOLDER_MARK + path.slice(folder.length) : path;
}

/** Names that matter, heaviest first, by the file in which they were last met, and still are. */
function namesByFile({ names, items }: Ledger, standing: Ledger): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const nowhere = new Set(
    standing.names.filter(({ file }) => file === undefined).map(({ name }) => nameKey(name)),
  );
  for (const name of names.toSorted((a, b) => scoreOf(b, items) - scoreOf(a, items))) {
    if (name.file === undefined || isFileName(name.name) || name.name.includes('/')) continue;
    if (nowhere.has(nameKey(name.name))) continue;
    addTo(found, name.file, name.name);
  }
  return found;
}

const MOST_AT_HAND = 5;

/**
 * The files that are the likeliest to come next, those first: by how much and how lately they were named
 * and used. `named`: what looks like a file, and no call is known to have worked on.
 */
export function filesAtHand({ standing }: Ledgers): { used: string[]; named: string[] } {
  const used = new Map<string, File>();
  for (const file of standing.files) {
    const key = nameKey(file.path);
    const known = used.get(key);
    if (known === undefined || known.touched_at < file.touched_at) used.set(key, file);
  }
  const ranked = standing.names
    .filter(({ name }) => isFileName(name))
    .map((name) => ({ name, file: used.get(nameKey(name.name)) }))
    .filter(({ name, file }) =>
      file === undefined ? isCertainFile(name.name) : file.state === 'present',
    )
    .map(({ name, file }) => ({ name, file, likeliness: likelinessOf(name, file, standing) }))
    .sort((a, b) => b.likeliness - a.likeliness);
  const likeliest = ranked.slice(0, MOST_AT_HAND);
  return {
    used: likeliest.flatMap(({ file }) => (file === undefined ? [] : shortPath(file.path))),
    named: likeliest.flatMap(({ name, file }) => (file === undefined ? shortPath(name.name) : [])),
  };
}

/** Products that are named as files are. */
const PRODUCT =
  /^(?:Node|Next|Nuxt|Nest|Vue|React|Angular|Ember|Alpine|Backbone|Express|Three|D3|Chart|Plotly|Discord|Moment|Day|Underscore|Handlebars|Mustache|Electron|Meteor|Socket|Video|P5|p5|Matter|Babylon)\.js$/;

/** Of what nobody has worked on: folders, packages and products may be named as files are. */
function isCertainFile(name: string): boolean {
  const base = baseName(name);
  return isFileName(base) && !PRODUCT.test(base);
}

/** What counts is how lately it was named, then how much it is worked on now and was in all. */
function likelinessOf(name: Name, file: File | undefined, { items, calls }: Ledger): number {
  const heat = file === undefined ? 0 : heatOf(file, calls);
  const uses = file === undefined ? 0 : file.reads + 2 * file.edits;
  const named = Math.log(1 + scoreOf(name, items)) - 2 * Math.log(2 + items - name.at);
  return named + Math.log(1 + 3 * heat) + Math.log(1 + uses) / 2;
}

/** Deeper folders than people have: each takes the characters of all above it. */
const DEEPEST = 50;

/** Fewer paths are not worth a line of their own. */
const FEWEST = 3;

/** The folder that saves most when it is written once only; '' when none is worth it. */
function commonFolder(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    let i = isAnchored(path) ? path.indexOf('/', 1) : -1;
    for (let depth = 0; i > 0 && depth < DEEPEST; depth++) {
      const folder = path.slice(0, i + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
      i = path.indexOf('/', i + 1);
    }
  }
  let best = '';
  let most = 0;
  for (const [folder, times] of counts) {
    const saved = times < FEWEST ? 0 : times * (folder.length - FOLDER_MARK.length) - folder.length;
    if (saved > most) {
      best = folder;
      most = saved;
    }
  }
  return best;
}
