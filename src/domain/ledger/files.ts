import { baseName, extractNames, isFileName } from '../names.ts';
import { clipEnd, oneLine } from '../text.ts';
import type { FileAction } from '../workspace/action.ts';
import type { File } from './ledger.ts';
import { rounded } from './names-index.ts';

/** Names of a file that are kept, the newest first. */
const MOST_NAMES = 24;
const LONGEST_LINE = 120;
/** Calls after which a touch says half as much about what is worked on next. */
const HALF_LIFE = 8;
/** What a change of a file says beside a look at it. */
const CHANGE = 2;
/** Characters of one edit that are read for names. */
const LOOKED_AT = 200_000;

/** Where the fold stands: the item, how many were folded, and how many calls. */
export type Moment = { seq: number; at: number; call: number };
type Edit = { added: string; removed: string };

/** Files that were worked on, and what was changed in them. */
export class Files {
  private readonly byBase = new Map<string, File[]>();
  private count: number;

  constructor(files: readonly File[]) {
    for (const file of files) this.namesakes(file.path).push({ ...file });
    this.count = files.length;
  }

  /** Notes what a call has certainly done; `script` is the command that it ran, '' for none. */
  apply(action: FileAction, script: string, moment: Moment): void {
    if (!('path' in action)) return;
    const { path } = action;
    switch (action.kind) {
      case 'seen':
        this.touch(path, 1, moment).reads++;
        return;
      case 'written':
        this.write(path, action.text, moment);
        return;
      case 'replaced':
        this.change(
          path,
          action.replacements.map(({ from, to }) => ({ added: to, removed: from })),
          moment,
        );
        return;
      case 'inserted':
      case 'appended':
        this.change(path, [{ added: action.text, removed: '' }], moment);
        return;
      case 'patched': {
        const edits = action.hunks.map(({ before, after }) => ({
          added: after.join('\n'),
          removed: before.join('\n'),
        }));
        this.change(path, edits, moment);
        if (action.to !== null) this.move(path, action.to, moment);
        return;
      }
      case 'moved':
        this.move(path, action.to, moment);
        return;
      case 'copied':
        this.change(action.to, [], moment);
        return;
      case 'deleted':
        this.delete(path, moment);
        return;
      case 'rewritten':
      case 'undone':
        this.change(path, [], moment);
        return;
      case 'changed':
        if (action.isCertain) this.change(path, editsOfSed(script), moment, true);
        return;
      case 'changed_outside':
      case 'ran':
        return;
      default:
        action satisfies never;
    }
  }

  get size(): number {
    return this.count;
  }

  facts(): File[] {
    return [...this.byBase.values()].flat();
  }

  /** The files changed after so many items, the newest change first. */
  changedSince(at: number): string[] {
    return this.facts()
      .filter((file) => file.changed_at > at)
      .sort((a, b) => b.changed_at - a.changed_at)
      .map(({ path }) => path);
  }

  private write(path: string, text: string, moment: Moment): void {
    const known = this.find(path);
    const isNew = known === undefined || (known.reads === 0 && known.edits === 0);
    const file = this.changed(path, moment);
    if (isNew) file.is_created = true;
    const gone = new Set(file.added);
    file.added = namesBroughtIn([{ added: text, removed: '' }], path);
    for (const name of file.added) gone.delete(name);
    file.removed = [...new Set([...file.removed, ...gone])].slice(0, MOST_NAMES);
    setLine(file, text);
  }

  /** `isRough`: one command may have changed many files, so its names stand behind the others. */
  private change(path: string, edits: readonly Edit[], moment: Moment, isRough = false): void {
    const file = this.changed(path, moment);
    const added = namesBroughtIn(edits, path);
    const taken = new Set(
      namesBroughtIn(
        edits.map(({ added, removed }) => ({ added: removed, removed: added })),
        path,
      ),
    );
    const back = new Set(added);
    const kept = file.added.filter((name) => !taken.has(name) && !back.has(name));
    const own = new Set(file.added);
    file.added = (isRough ? [...kept, ...added] : [...added, ...kept]).slice(0, MOST_NAMES);
    // What an edit of ours had brought in and another took away was never there for anybody else.
    const removed = [...taken].filter((name) => !own.has(name) && !back.has(name));
    const stillGone = file.removed.filter((name) => !back.has(name) && !taken.has(name));
    file.removed = [...removed, ...stillGone].slice(0, MOST_NAMES);
    const { line } = file;
    if (line !== undefined && edits.some(({ removed }) => removed.includes(line))) delete file.line;
    for (const edit of edits) setLine(file, linesOnlyIn(edit.added, edit.removed));
  }

  /** A file, or a folder with all that is in it. */
  private delete(path: string, moment: Moment): void {
    const folder = path.endsWith('/') ? path : `${path}/`;
    const inside = this.facts().filter((file) => file.path.startsWith(folder));
    for (const file of inside.length > 0 ? inside : [this.changed(path, moment)]) {
      file.state = 'deleted';
      file.last_seq = moment.seq;
      file.added = [];
      delete file.line;
    }
  }

  private move(path: string, to: string, moment: Moment): void {
    const from = this.changed(path, moment);
    from.state = 'moved';
    from.moved_to = to;
    const target = this.changed(to, moment);
    target.added = [...new Set([...target.added, ...from.added])].slice(0, MOST_NAMES);
    target.is_created ||= from.is_created;
    from.added = [];
    delete from.line;
  }

  private changed(path: string, moment: Moment): File {
    const file = this.touch(path, CHANGE, moment);
    file.edits++;
    file.changed_at = moment.at;
    file.state = 'present';
    delete file.moved_to;
    return file;
  }

  private touch(path: string, worth: number, { seq, call }: Moment): File {
    let file = this.find(path);
    if (file === undefined) {
      file = {
        seq,
        last_seq: seq,
        path,
        reads: 0,
        edits: 0,
        state: 'present',
        is_created: false,
        added: [],
        removed: [],
        touched_at: call,
        changed_at: 0,
        heat: 0,
      };
      this.namesakes(path).push(file);
      this.count++;
    }
    // The fuller spelling tells which of several files of a name it is.
    if (path.length > file.path.length) file.path = path;
    file.last_seq = seq;
    file.heat = rounded(heatOf(file, call) + worth);
    file.touched_at = call;
    return file;
  }

  private find(path: string): File | undefined {
    return this.namesakes(path).find((other) => isSameFile(other.path, path));
  }

  private namesakes(path: string): File[] {
    const base = baseName(path);
    const known = this.byBase.get(base);
    if (known !== undefined) return known;
    const files: File[] = [];
    this.byBase.set(base, files);
    return files;
  }
}

/** How much a file is worked on when so many calls have been made. */
export function heatOf({ heat, touched_at }: File, call: number): number {
  return heat * 0.5 ** ((call - touched_at) / HALF_LIFE);
}

function isSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

/** What a line declares is told before what it uses. */
const DECLARES =
  /\b(?:function|class|def|func|fn|interface|type|struct|enum|const|let|var|trait|impl|module|namespace|package|macro|table|TABLE|protocol|record|object)\b|^\s*(?:[\w.-]+\s*[:=]|#{1,6} |\[[\w.-]+\]|@\w+|"[\w.-]+":)/;

/** The names that edits bring in and that what they replace does not have, declared ones first. */
function namesBroughtIn(edits: readonly Edit[], path: string): string[] {
  const declared = new Set<string>();
  const used = new Set<string>();
  const paths = new Set<string>();
  const own = baseName(path);
  for (const { added, removed } of edits) {
    const before = new Set(extractNames(removed.slice(0, LOOKED_AT)));
    for (const line of linesOnlyIn(added.slice(0, LOOKED_AT), removed).split('\n')) {
      const names = extractNames(line).filter(
        (name) => !before.has(name) && baseName(name) !== own,
      );
      const declares = DECLARES.test(line.slice(0, 500));
      for (const [place, name] of names.entries()) {
        if (name.includes('/') || isFileName(name)) paths.add(name);
        else (declares && place === 0 ? declared : used).add(name);
      }
    }
  }
  return [...new Set([...declared, ...used, ...paths])].slice(0, MOST_NAMES);
}

function linesOnlyIn(text: string, other: string): string {
  if (other === '') return text;
  const lines = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');
}

function setLine(file: File, text: string): void {
  const line = text.split('\n', 200).find((candidate) => /[\p{L}\p{N}]{3}/u.test(candidate));
  if (line !== undefined) file.line = clipEnd(oneLine(line), LONGEST_LINE);
}

const SUBSTITUTION =
  /(?:^|[\s'";])(?:\d[\d,$]*)?s([/|#@])((?:\\.|(?!\1)[^\\\n]){0,500})\1((?:\\.|(?!\1)[^\\\n]){0,500})\1/g;

/** What `sed -i` puts in place of what. */
function editsOfSed(script: string): Edit[] {
  if (!script.includes('sed')) return [];
  return [...script.slice(0, LOOKED_AT).matchAll(SUBSTITUTION)].map(
    ([, , removed = '', added = '']) => ({ added, removed }),
  );
}
