import { baseName } from '../names.ts';
import { clipEnd, oneLine } from '../text.ts';
import type { FileAction } from '../workspace/action.ts';
import { type KnownText, textWhenWhole } from '../workspace/known-text.ts';
import { linesOnlyIn, MOST_NAMES, namesBroughtIn } from './brought-in.ts';
import { Folders } from './folders.ts';
import type { File, GitState } from './ledger.ts';
import { rounded } from './names-index.ts';
import { isSameFile } from './same-file.ts';
import { type Edit, editsOfSed } from './sed-edits.ts';
import { fateOf, type GitAction, gitActionOf, gitStateAfter, takenBack } from './taken-back.ts';

const LONGEST_LINE = 120;
/** Calls after which a touch says half as much about what is worked on next. */
const HALF_LIFE = 8;
/** What a change of a file says beside a look at it. */
const CHANGE = 2;

/** Where the fold stands: the item, how many were folded, and how many calls. */
export type Moment = { seq: number; at: number; call: number };

/** Files that were worked on, and what was changed in them. */
export class Files {
  private readonly byBase = new Map<string, File[]>();
  private readonly folders = new Folders();
  private count: number;

  private git: GitState;

  constructor(files: readonly File[], git: GitState) {
    this.git = git;
    for (const file of files) {
      this.namesakes(file.path).push({ ...file });
      this.folders.add(file.path);
    }
    this.count = files.length;
  }

  /** Notes what a call has certainly done; `script` is the command that it ran, '' for none. */
  apply(action: FileAction, script: string, moment: Moment): void {
    const git = gitActionOf(action);
    if (git !== null) this.follow(git, moment);
    if (!('path' in action)) return;
    const { path } = action;
    switch (action.kind) {
      case 'seen':
        this.see(path, action.text, moment);
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
        this.copy(path, action.to, moment);
        return;
      case 'deleted':
        this.delete(path, moment);
        return;
      case 'rewritten':
        this.change(path, [], moment);
        return;
      case 'undone':
        this.undo(path, moment);
        return;
      case 'changed':
        if (!action.isCertain) return;
        if (action.text === undefined) {
          this.change(path, editsOfSed(script, action.substitutions), moment, true);
        } else this.change(path, [{ added: action.text, removed: '' }], moment);
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

  gitState(): GitState {
    return this.git;
  }

  /** The files changed after so many items, the newest change first. */
  changedBetween(at: number, end: number): string[] {
    return this.facts()
      .filter((file) => file.changed_at > at && file.changed_at < end)
      .sort((a, b) => b.changed_at - a.changed_at)
      .map(({ path }) => path);
  }

  private follow(git: GitAction, moment: Moment): void {
    this.git = gitStateAfter(this.git, git, moment.at);
    for (const file of this.facts()) {
      const fate = fateOf(file, git, this.git, moment.seq);
      if (fate !== null) takenBack(file, git, fate, moment);
    }
  }

  /** What a whole file shows is true of it, whatever was done to it before. */
  private see(path: string, seen: KnownText | null, moment: Moment): void {
    const file = this.touch(path, 1, moment);
    file.reads++;
    // What is read is there, however little of it.
    if (seen !== null && seen.blocks.length > 0) {
      file.state = 'present';
      delete file.moved_to;
    }
    const text = file.edits === 0 || seen === null ? null : textWhenWhole(seen);
    if (text === null) return;
    const had = file.added.length;
    file.added = file.added.filter((name) => text.includes(name));
    if (file.added.length < had) delete file.undoable;
    const { line, taken_back } = file;
    if (line !== undefined && !text.includes(line.replace(/\s*…$/, ''))) delete file.line;
    if (taken_back === undefined || taken_back.is_certain) return;
    if (had > 0 && file.added.length === 0) {
      file.taken_back = { ...taken_back, is_certain: true, is_aside: false };
    } else delete file.taken_back;
  }

  private undo(path: string, moment: Moment): void {
    const file = this.touch(path, CHANGE, moment);
    const { undoable, edits } = file;
    file.changed_at = moment.at;
    delete file.undoable;
    delete file.line;
    const isAll = edits === 1;
    file.edits = Math.max(1, edits);
    if (edits > 0 && (undoable === undefined || isAll)) {
      const is_certain = isAll && undoable !== undefined;
      file.taken_back = { seq: moment.seq, by: 'undo_edit', is_certain, is_aside: false };
    }
    if (undoable === undefined) return;
    file.added = file.added.slice(undoable.added);
    file.removed = file.removed.slice(undoable.removed);
  }

  private write(path: string, text: string, moment: Moment): void {
    const known = this.find(path);
    const isNew = known === undefined || (known.reads === 0 && known.edits === 0);
    const isAnew = known?.is_created === true && known.state !== 'present';
    const file = this.changed(path, moment);
    if (isNew) file.is_created = true;
    if (!file.is_created) file.is_rewritten = true;
    delete file.copied_from;
    // What was created and deleted before is not there any more, as if it had never been.
    if (isAnew) Object.assign(file, { edits: 1, removed: [], edited_from: moment.at });
    delete file.undoable;
    delete file.taken_back;
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
    const isOld = ({ removed }: Edit) =>
      line !== undefined &&
      (removed.includes(line) || (isWorded(removed, isRough) && line.includes(removed)));
    if (edits.some(isOld)) delete file.line;
    for (const edit of edits) setLine(file, linesOnlyIn(edit.added, edit.removed));
    const isExact = !isRough && edits.length > 0;
    if (isExact) file.undoable = { added: added.length, removed: removed.length };
    else delete file.undoable;
  }

  /** A file, or a folder with all that is in it. */
  private delete(path: string, moment: Moment): void {
    const inside = this.inside(path);
    for (const file of inside.length > 0 ? inside : [this.changed(path, moment)]) {
      file.state = 'deleted';
      file.last_seq = moment.seq;
      file.edits = Math.max(1, file.edits);
      file.changed_at = moment.at;
      file.edited_from ||= moment.at;
      file.added = [];
      delete file.line;
      delete file.undoable;
      delete file.taken_back;
    }
  }

  private copy(path: string, given: string, moment: Moment): void {
    const to = this.placeIn(given, path);
    const isNew = this.find(to) === undefined;
    this.change(to, [], moment);
    const file = this.find(to);
    if (isNew && file !== undefined) file.copied_from = path;
  }

  /** A file, or a folder with all that is in it. */
  private move(path: string, given: string, moment: Moment): void {
    const to = this.placeIn(given, path);
    // A folder cannot go into itself.
    if (to.startsWith(`${path}/`)) return;
    const inside = this.inside(path);
    const from = this.changed(path, moment);
    // Where the one may be written from a folder that is not known, no two files can be told apart.
    if (this.find(to) === from) {
      if (to.length > from.path.length) this.rename(from, to);
      return;
    }
    from.state = 'moved';
    from.moved_to = to;
    if (inside.length > 0) {
      const before = new Map(this.inside(to).map((file) => [file.path, file]));
      for (const file of inside) {
        const place = to + file.path.slice(path.length);
        // What was there before and is gone is told by what takes its place.
        this.forget(before.get(place));
        this.rename(file, place);
      }
      return;
    }
    const known = this.find(to);
    const target = this.changed(to, moment);
    // That it was moved is told of the other one.
    if (known === undefined) {
      target.edits = from.edits - 1;
      if (from.copied_from !== undefined) target.copied_from = from.copied_from;
    }
    target.added = [...new Set([...target.added, ...from.added])].slice(0, MOST_NAMES);
    target.is_created ||= from.is_created;
    if (from.is_rewritten) target.is_rewritten = true;
    from.added = [];
    delete from.line;
  }

  /** Where a file goes that is moved or copied there: into what is known as a folder. */
  private placeIn(to: string, path: string): string {
    return this.isFolder(to) ? `${to}/${baseName(path)}` : to;
  }

  /** Whether a file that is there is known in it. */
  private isFolder(path: string): boolean {
    if (!this.folders.has(path)) return false;
    for (const files of this.byBase.values()) {
      if (files.some((file) => file.state === 'present' && file.path.startsWith(`${path}/`))) {
        return true;
      }
    }
    return false;
  }

  /** What is known in a folder. */
  private inside(path: string): File[] {
    const folder = path.endsWith('/') ? path : `${path}/`;
    if (!this.folders.has(folder.slice(0, -1))) return [];
    return this.facts().filter((file) => file.path.startsWith(folder));
  }

  private changed(path: string, moment: Moment): File {
    const file = this.touch(path, CHANGE, moment);
    file.edits++;
    file.changed_at = moment.at;
    file.edited_from ||= moment.at;
    file.state = 'present';
    if (file.taken_back?.is_certain === true) delete file.taken_back;
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
        edited_from: 0,
        heat: 0,
      };
      this.namesakes(path).push(file);
      this.folders.add(path);
      this.count++;
    }
    // The fuller spelling tells which of several files of a name it is.
    if (path.length > file.path.length) this.rename(file, path);
    file.last_seq = seq;
    file.heat = rounded(heatOf(file, call) + worth);
    file.touched_at = call;
    return file;
  }

  private forget(file: File | undefined): void {
    if (file === undefined) return;
    const namesakes = this.namesakes(file.path);
    namesakes.splice(namesakes.indexOf(file), 1);
    this.folders.remove(file.path);
    this.count--;
  }

  /** Another path for a file, with the same name at its end. */
  private rename(file: File, path: string): void {
    this.folders.remove(file.path);
    file.path = path;
    this.folders.add(path);
  }

  private find(path: string): File | undefined {
    const namesakes = this.namesakes(path);
    const own = namesakes.find((other) => other.path === path);
    return own ?? namesakes.find((other) => isSameFile(other.path, path));
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

/** Whether a piece that was replaced in a line is one of it: an exact edit may be of whole lines, such as `}`. */
function isWorded(removed: string, isRough: boolean): boolean {
  return isRough ? removed !== '' : /[\p{L}\p{N}]{2}/u.test(removed);
}

/** Lines that tell only what is used: imports, and a text in quotes that stands alone. */
const SAYS_LITTLE =
  /^\s*(?:import\b|from\s+\S+\s+import\b|(?:pub\s+)?use\s+\S+;|using\s+\S+;|#include\b|package\s+\S+$|require\b|(?:const|let|var)\b[^=]{1,200}=\s*require\(|(["'`])[^"'`\s]*\1[,;]?\s*$)/;

function setLine(file: File, text: string): void {
  const lines = text.split('\n', 200).filter((line) => /[\p{L}\p{N}]{3}/u.test(line));
  const line = lines.find((candidate) => !SAYS_LITTLE.test(candidate));
  if (line !== undefined) file.line = clipEnd(oneLine(line), LONGEST_LINE);
  // The line of an edit before would pass for one of this.
  else if (lines.length > 0) delete file.line;
}
