import type { Attachment } from '../items/item.ts';
import type { FileAction } from './action.ts';
import type { Effort } from './effort.ts';
import { FileNames } from './file-names.ts';
import {
  appended,
  inserted,
  type KnownText,
  merged,
  overlap,
  replaced,
  sizeOf,
  textWhenWhole,
  wholeText,
} from './known-text.ts';
import { withShownLines } from './outside-change.ts';
import { patched } from './patch.ts';
import { isInside, isOnWindows, isPerhapsFolder, lastSegment, resolvePath } from './paths.ts';
import { effectOfProgram, type ProgramEffect, programOf } from './program-text.ts';
import { textOfRestored } from './restored-text.ts';
import { matcherOf, matchingCost } from './targets.ts';

/** The newest known content of a file. */
export type KnownFile = {
  path: string;
  text: KnownText;
  /** The place of what was read or changed last, as given to `apply`. */
  at: number;
  /** What may have changed it since in a way that the log does not show; null: nothing has. */
  changedBy: string | null;
  /** The attachment that it stands in, as long as nothing newer is known. */
  posted: Attachment | null;
};

type Entry = KnownFile & { before: KnownText | null; runs: ProgramEffect | null };
type Next = (text: KnownText) => KnownText | null;

/** More files than any compaction restores; those used longest ago are forgotten. */
const MOST_FILES = 2_000;
const MOST_CHARACTERS = 64_000_000;
/** What it takes to move one file of a folder, in characters looked at. */
const MOVE_COST = 2_000;

/** What is known of files, kept up to date with what calls do to them. */
export class FileBook {
  private readonly files = new Map<string, Entry>();
  /** Those that nothing may have changed: what is doubtful once needs no second doubt. */
  private readonly sure = new Map<string, Entry>();
  private readonly names: FileNames;
  /** Other ways in which a file was written, each shown to be it by what it holds. */
  private readonly aliases = new Map<string, string>();
  private size = 0;
  private readonly lost = new Set<string>();
  private readonly effort: Effort;

  constructor(effort: Effort) {
    this.effort = effort;
    this.names = new FileNames(effort);
  }

  /** All files of which something is known. */
  known(): KnownFile[] {
    return [...this.files.values()].filter(
      ({ text, posted }) => text.blocks.length > 0 || posted !== null,
    );
  }

  /** Files and folders that were there once, or were named, and are not any more. */
  gone(): string[] {
    return [...this.lost];
  }

  /** Puts in a file as an attachment gives it. */
  put(posted: Attachment & { path: string }, at: number): void {
    const { text, changedBy } = textOfRestored(posted);
    const path = isOnWindows(posted.path) ? resolvePath(posted.path, null) : posted.path;
    this.set(path, text, at, changedBy);
    const file = this.files.get(path);
    if (file !== undefined) file.posted = posted;
  }

  apply(action: FileAction, at: number): void {
    switch (action.kind) {
      case 'named_changed':
        this.doubtNamed(action.script, action.by);
        return;
      case 'may_change':
        this.doubtTargets(action.targets, action.by);
        return;
      case 'all_changed':
        this.doubtAll(action.by);
        return;
      case 'ran':
        this.run(action);
        return;
      case 'written':
        this.set(
          this.placeOf(action.path, `a write of ${action.path}`),
          wholeText(action.text),
          at,
          null,
        );
        return;
      case 'seen':
        this.see(action.path, action.text, at);
        return;
      case 'deleted':
        this.delete(action.path);
        return;
      case 'rewritten':
        this.lose(this.placeOf(action.path, `a write of ${action.path}`));
        return;
      case 'moved':
        this.move(action.path, action.to, at);
        return;
      case 'copied':
        this.copy(action.path, action.to, at);
        return;
      case 'replaced': {
        const { replacements } = action;
        const next: Next = (text) =>
          replacements.reduce<KnownText | null>(
            (now, replacement) => now && replaced(now, replacement, this.effort),
            text,
          );
        this.change(action.path, at, 'an edit', next, true);
        return;
      }
      case 'inserted': {
        const next: Next = (text) => inserted(text, action.after, action.text, this.effort);
        this.change(action.path, at, 'an insertion', next, false);
        return;
      }
      case 'appended': {
        const next: Next = (text) => appended(text, action.text, this.effort);
        this.change(action.path, at, 'an addition', next, false);
        return;
      }
      case 'patched': {
        const isTelling = action.hunks.some(({ before }) => before.length > 0);
        const next: Next = (text) => patched(text, action.hunks, this.effort);
        const path = this.change(action.path, at, 'a patch', next, isTelling);
        // Its new path begins in the same folder as the old one.
        const start = path.endsWith(`/${action.path}`) ? path.length - action.path.length : 0;
        if (action.to !== null) this.move(path, path.slice(0, start) + action.to, at);
        return;
      }
      case 'undone':
        this.undo(action.path, at);
        return;
      case 'changed': {
        const file = this.files.get(this.placeOf(action.path, action.by));
        if (file !== undefined) this.doubt(file, action.by);
        return;
      }
      case 'changed_outside':
        this.changeOutside(action, at);
        return;
      default:
        action satisfies never;
    }
  }

  private changeOutside(
    { path, lines, by }: Extract<FileAction, { kind: 'changed_outside' }>,
    at: number,
  ): void {
    const file = this.files.get(this.placeOf(path, by));
    if (file === undefined) return;
    const text = lines === null ? null : withShownLines(file.text, lines, this.effort);
    if (text !== null) this.set(file.path, text, at, file.changedBy);
    else if (lines === null || textWhenWhole(file.text) !== null) this.doubt(file, by);
    // Where the two disagree, lines known before may have moved: what was shown last counts alone.
    else this.set(file.path, { blocks: lines, total: null }, at, null);
  }

  /** The path under which a file is known for certain; undefined where it is known under none. */
  private certainName(path: string): string | undefined {
    if (this.files.has(path)) return path;
    const alias = this.aliases.get(path);
    return alias !== undefined && this.files.has(alias) ? alias : undefined;
  }

  /**
   * Where to note what has changed a path. Other files that it may mean are doubtful from then on:
   * they have its name, in a folder that it may or may not lie in.
   */
  private placeOf(path: string, by: string): string {
    const name = this.certainName(path) ?? path;
    for (const file of this.namesakes(path, by)) if (file.path !== name) this.doubt(file, by);
    return name;
  }

  private namesakes(path: string, by: string): Entry[] {
    const paths = this.names.namesakes(path);
    if (paths === null) this.doubtAll(by);
    return (paths ?? []).flatMap((other) => this.files.get(other) ?? []);
  }

  private set(path: string, text: KnownText, at: number, changedBy: string | null): void {
    this.lost.delete(path);
    // Put in anew, so that the one that was used longest ago stands first.
    const before = this.forget(path)?.text ?? null;
    if (!this.names.add(path)) return;
    const entry = { path, text, at, changedBy, before, posted: null, runs: null };
    this.files.set(path, entry);
    if (changedBy === null) this.sure.set(path, entry);
    this.size += sizeOf(text);
    for (const oldest of this.files.keys()) {
      if (this.files.size <= MOST_FILES && this.size <= MOST_CHARACTERS) return;
      this.forget(oldest);
      this.names.remove(oldest);
    }
  }

  private forget(path: string): Entry | undefined {
    const file = this.files.get(path);
    if (file !== undefined) this.size -= sizeOf(file.text);
    this.files.delete(path);
    this.sure.delete(path);
    return file;
  }

  /** The file is not there any more, or what is in it is not known. */
  private lose(path: string): Entry | undefined {
    this.lost.add(path);
    this.names.remove(path);
    return this.forget(path);
  }

  private doubt(file: Entry, by: string): void {
    file.changedBy ??= by;
    this.sure.delete(file.path);
  }

  private see(path: string, seen: KnownText | null, at: number): void {
    const certain = this.certainName(path);
    const known = certain === undefined ? undefined : this.files.get(certain);
    if (seen === null) {
      if (known !== undefined) known.at = at;
      return;
    }
    const others = this.namesakes(path, `a read of ${path}`).filter((file) => file !== known);
    const shown = others.map((file) => ({ file, is: overlap(file.text, seen, this.effort) }));
    // Another file of this name, or the same one changed meanwhile.
    for (const { file, is } of shown) {
      if (is === 'other') this.doubt(file, `${path} was seen otherwise`);
    }
    if (
      known !== undefined &&
      known.path !== path &&
      overlap(known.text, seen, this.effort) === 'other'
    ) {
      this.aliases.delete(path);
      this.doubt(known, `${path} was seen otherwise`);
    } else if (known !== undefined) {
      this.seeAgain(known, seen, at);
      return;
    }
    const same = shown.filter(({ is }) => is === 'same');
    const inside = shown.filter(({ is }) => is === 'same' || is === 'inside');
    const [only] = inside;
    if (only === undefined || inside.length > 1) this.set(path, seen, at, null);
    else if (same.length === 0) only.file.at = at;
    else {
      this.aliases.set(path, only.file.path);
      this.set(only.file.path, seen, at, null);
    }
  }

  private seeAgain(known: Entry, seen: KnownText, at: number): void {
    const both = textWhenWhole(seen) === null ? merged(known.text, seen, this.effort) : null;
    // Where the two disagree, lines known before may have moved: what was seen last counts alone.
    if (both === null) this.set(known.path, seen, at, null);
    else this.set(known.path, both, at, known.changedBy);
  }

  /**
   * Changes what is known of a file. `isTelling`: that it can be followed shows which file it was,
   * where several have such a path. Gives the path that it was changed under.
   */
  private change(path: string, at: number, by: string, next: Next, isTelling: boolean): string {
    const certain = this.certainName(path);
    const others = this.namesakes(path, `${by} of ${path}`).filter((file) => file.path !== certain);
    const fitting =
      certain === undefined && isTelling ? others.filter(({ text }) => next(text) !== null) : [];
    const guessed = fitting.length === 1 ? fitting[0] : undefined;
    for (const file of others) if (file !== guessed) this.doubt(file, `${by} of ${path}`);
    const file = certain === undefined ? guessed : this.files.get(certain);
    if (file === undefined) return path;
    const text = next(file.text);
    if (text === null) {
      file.at = at;
      this.doubt(file, `${by} that could not be followed`);
    } else this.set(file.path, text, at, file.changedBy);
    return file.path;
  }

  private undo(path: string, at: number): void {
    const file = this.files.get(this.placeOf(path, `an edit of ${path} taken back`));
    if (file === undefined) return;
    if (file.before === null) this.lose(file.path);
    else this.set(file.path, file.before, at, file.changedBy);
  }

  private delete(path: string): void {
    const isFolder = this.certainName(path) === undefined && this.names.isFolder(path);
    if (isFolder) for (const other of this.inside(path, 'rm')) this.lose(other);
    else this.doubtTargets([path], `rm ${path}`);
    this.lose(this.placeOf(path, `rm ${path}`));
  }

  private move(path: string, given: string, at: number): void {
    const to = this.names.isFolder(given) ? `${given}/${lastSegment(path)}` : given;
    if (this.certainName(path) === undefined && this.names.isFolder(path)) {
      for (const other of this.inside(path, 'mv')) {
        const file = this.lose(other);
        if (file === undefined || !this.effort.spend(MOVE_COST + to.length)) continue;
        this.set(to + other.slice(path.length), file.text, file.at, file.changedBy);
      }
      return;
    }
    const file = this.lose(this.placeOf(path, `mv ${path}`));
    this.lose(this.placeOf(to, `mv ${path}`));
    if (file !== undefined && !isPerhapsFolder(to, path)) {
      this.set(to, file.text, at, file.changedBy);
    }
  }

  private copy(path: string, given: string, at: number): void {
    const isFolder = this.names.isFolder(given);
    const to = isFolder ? `${given}/${lastSegment(path)}` : given;
    const file = this.files.get(this.certainName(path) ?? path);
    // The files in a folder that nobody has seen take the places of those that are known.
    if (file === undefined && isFolder) this.doubtTargets([given], `cp ${path}`);
    this.lose(this.placeOf(to, `cp ${path}`));
    if (file !== undefined && !isPerhapsFolder(to, path)) {
      this.set(to, file.text, at, file.changedBy);
    }
  }

  /** The files in a folder; none, and every one doubtful, when there is no effort left to look. */
  private inside(folder: string, by: string): string[] {
    if (this.effort.spend(this.files.size * 8)) {
      return [...this.files.keys()].filter((path) => isInside(path, folder));
    }
    this.doubtAll(`${by} ${folder}`);
    return [];
  }

  private doubtAll(by: string): void {
    for (const file of this.sure.values()) file.changedBy ??= by;
    this.sure.clear();
  }

  private doubtTargets(targets: readonly string[], by: string): void {
    for (const target of targets) {
      const file = this.files.get(this.placeOf(target, by));
      if (file !== undefined) this.doubt(file, by);
      else if (!this.doubtMatching(target, by)) return;
    }
  }

  /** False when no effort was left: then all are doubtful. */
  private doubtMatching(target: string, by: string): boolean {
    const matches = matcherOf(target, (folder) => this.names.isFolder(folder));
    if (matches === null) return true;
    if (!this.effort.spend(matchingCost(target, this.sure.keys()))) {
      this.doubtAll(by);
      return false;
    }
    for (const [path, file] of this.sure) if (matches(path)) this.doubt(file, by);
    return true;
  }

  private run({ path, by, isPatch, args }: Extract<FileAction, { kind: 'ran' }>): void {
    const file = this.files.get(this.certainName(path) ?? path);
    const effect = file === undefined ? null : this.effectOf(file, isPatch);
    if (effect === 'nothing') return;
    if (effect === 'anything' || (effect === null && isPatch)) this.doubtAll(by);
    else if (effect !== null) this.doubtNamed(effect.names, by);
    this.doubtTargets(args, by);
  }

  private effectOf(file: Entry, isPatch: boolean): ProgramEffect {
    if (isPatch) return { names: programOf(file.text.blocks) };
    file.runs ??= effectOfProgram(programOf(file.text.blocks));
    return file.runs;
  }

  private doubtNamed(script: string, by: string): void {
    const named = this.effort.spend(4 * script.length) ? this.names.namedIn(script) : null;
    if (named === null) this.doubtAll(by);
    for (const path of named ?? []) {
      const file = this.sure.get(path);
      if (file !== undefined) this.doubt(file, by);
    }
  }
}
