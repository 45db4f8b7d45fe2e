import type { Attachment } from '../items/item.ts';
import type { Effort } from './effort.ts';
import { FileNames } from './file-names.ts';
import { type KnownText, sizeOf } from './known-text.ts';
import { isInside, isNamedIn } from './paths.ts';
import { isLoadedSkill } from './program-notes.ts';
import type { ProgramEffect } from './program-text.ts';
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

/**
 * `before`: its content before the last change. `runs`: what it does as a program, once that was asked.
 * `seen`: of a doubtful file what was read since, as edits have left it. `calls`: those that are still to come,
 * and whose changes it has already.
 */
export type KeptFile = KnownFile & {
  before: KnownText | null;
  runs: ProgramEffect | null;
  seen: KnownText | null;
  calls: readonly string[];
};

/** Behind what may have changed a file, where some of it is known to be as it stands. */
const IN_PART = '; read or edited in part after that';

/** More files than any compaction restores; those used longest ago are forgotten. */
const MOST_FILES = 2_000;
const MOST_CHARACTERS = 64_000_000;

/** The files of which something is known, by path, and which of them something may have changed since. */
export class KeptFiles {
  private readonly files = new Map<string, KeptFile>();
  /** Those of which a doubt tells something new: what is doubtful in all of it needs no second one. */
  private readonly sure = new Map<string, KeptFile>();
  private readonly names: FileNames;
  /** Other ways in which a file was written, each shown to be it by what it holds. */
  private readonly aliases = new Map<string, string>();
  private size = 0;
  private readonly effort: Effort;

  constructor(effort: Effort) {
    this.effort = effort;
    this.names = new FileNames(effort);
  }

  known(): KnownFile[] {
    return [...this.files.values()].flatMap(({ path, text, at, changedBy, posted }) =>
      text.blocks.length > 0 || posted !== null ? [{ path, text, at, changedBy, posted }] : [],
    );
  }

  /** The file that a path is certain to mean. */
  certain(path: string): KeptFile | undefined {
    return this.files.get(path) ?? this.files.get(this.aliases.get(path) ?? path);
  }

  /** The files of the same name in a folder that the path may or may not lie in. */
  namesakes(path: string, by: string): KeptFile[] {
    const paths = this.names.namesakes(path);
    if (paths === null) this.doubtAll(by);
    return (paths ?? []).flatMap((other) => this.files.get(other) ?? []);
  }

  /** The file that `by` has changed; others that the path may mean are doubtful from then on. */
  changed(path: string, by: string): KeptFile | undefined {
    const certain = this.certain(path);
    for (const file of this.namesakes(path, by)) if (file !== certain) this.doubt(file, by);
    return certain;
  }

  /** A call is no longer to come that was noted for files of these names. */
  carriedOut(call: string, paths: readonly string[]): void {
    for (const file of this.files.values()) {
      const place = file.calls.indexOf(call);
      if (place !== -1 && isNamedIn(file.path, paths)) file.calls = file.calls.toSpliced(place, 1);
    }
  }

  /** Where to note what `by` has changed. */
  placeOf(path: string, by: string): string {
    return this.changed(path, by)?.path ?? path;
  }

  isFolder(path: string): boolean {
    return this.names.isFolder(path);
  }

  /** What was written or read under one path is what is known under the other. */
  addAlias(path: string, of: string): void {
    this.aliases.set(path, of);
  }

  removeAlias(path: string): void {
    this.aliases.delete(path);
  }

  /** Undefined where the path cannot be followed. */
  set(
    path: string,
    text: KnownText,
    at: number,
    changedBy: string | null,
    calls: readonly string[] = [],
  ): KeptFile | undefined {
    // Put in anew, so that the one that was used longest ago stands first.
    const before = this.forget(path)?.text ?? null;
    if (!this.names.add(path)) return undefined;
    const entry: KeptFile = {
      path,
      text,
      at,
      changedBy,
      before,
      posted: null,
      runs: null,
      seen: null,
      calls,
    };
    this.files.set(path, entry);
    const isSure = changedBy === null || changedBy.endsWith(IN_PART);
    // What was loaded stays what it was, whatever becomes of the file.
    if (isSure && !isLoadedSkill(path)) this.sure.set(path, entry);
    this.size += sizeOf(text);
    for (const oldest of this.files.keys()) {
      if (this.files.size <= MOST_FILES && this.size <= MOST_CHARACTERS) break;
      this.forget(oldest);
      this.names.remove(oldest);
    }
    return entry;
  }

  /** The same for a file that stays as doubtful as it was but for what has been `seen` or edited of it. */
  setInPart(
    { path, changedBy, calls }: KeptFile,
    text: KnownText,
    at: number,
    seen: KnownText | null,
  ): void {
    const isSure = changedBy === null || changedBy.endsWith(IN_PART);
    const by = isSure ? changedBy : `${changedBy}${IN_PART}`;
    const file = this.set(path, text, at, by, calls);
    if (file !== undefined) file.seen = seen;
  }

  private forget(path: string): KeptFile | undefined {
    const file = this.files.get(path);
    if (file !== undefined) this.size -= sizeOf(file.text);
    this.files.delete(path);
    this.sure.delete(path);
    return file;
  }

  /** The file is not there any more, or what is in it is not known. */
  lose(path: string): KeptFile | undefined {
    this.names.remove(path);
    return this.forget(path);
  }

  doubt(file: KeptFile, by: string): void {
    if (!this.sure.delete(file.path)) return;
    file.changedBy = by;
    file.seen = null;
  }

  /** The files in a folder; none, and every one doubtful, when there is no effort left to look. */
  inside(folder: string, by: string): string[] {
    if (this.effort.spend(this.files.size * 8)) {
      return [...this.files.keys()].filter((path) => isInside(path, folder));
    }
    this.doubtAll(`${by} ${folder}`);
    return [];
  }

  doubtAll(by: string): void {
    for (const file of this.sure.values()) this.doubt(file, by);
  }

  doubtTargets(targets: readonly string[], by: string): void {
    for (const target of targets) {
      const file = this.changed(target, by);
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

  doubtNamed(script: string, by: string): void {
    const named = this.effort.spend(4 * script.length) ? this.names.namedIn(script) : null;
    if (named === null) this.doubtAll(by);
    for (const path of named ?? []) {
      const file = this.sure.get(path);
      if (file !== undefined) this.doubt(file, by);
    }
  }
}
