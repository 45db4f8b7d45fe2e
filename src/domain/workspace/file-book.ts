import type { Attachment } from '../items/item.ts';
import type { FileAction } from './action.ts';
import type { Effort } from './effort.ts';
import {
  appended,
  inserted,
  type KnownText,
  merged,
  replaced,
  textWhenWhole,
  wholeText,
} from './known-text.ts';
import { patched } from './patch.ts';
import { isInside, lastSegment } from './paths.ts';
import { textOfRestored } from './restored-text.ts';

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

type Entry = KnownFile & { before: KnownText | null };

/** Files whose last segment is the same are compared up to this number. */
const MOST_NAMESAKES = 50;
/** More files than any compaction restores; those used longest ago are forgotten. */
const MOST_FILES = 2_000;

/** Whether a program has something in it that changes files. */
export function mayWrite(program: string): boolean {
  return /write|replace|\bopen\s*\(|unlink|rename|fs\.|\bsed -i|>/i.test(program.slice(0, 50_000));
}

/** What is known of files, kept up to date with what calls do to them. */
export class FileBook {
  private readonly files = new Map<string, Entry>();
  private readonly byName = new Map<string, Set<string>>();
  private readonly lost = new Set<string>();
  private readonly effort: Effort;

  constructor(effort: Effort) {
    this.effort = effort;
  }

  /** All files of which something is known. */
  known(): KnownFile[] {
    return [...this.files.values()].filter(
      ({ text, posted }) => text.blocks.length > 0 || posted !== null,
    );
  }

  /** Files that were there once, or were named, and are not any more. */
  gone(): string[] {
    return [...this.lost];
  }

  /** Puts in a file as an attachment gives it. */
  put(posted: Attachment & { path: string }, at: number): void {
    const path = this.nameOf(posted.path);
    const { text, changedBy } = textOfRestored(posted);
    this.set(path, text, at, changedBy);
    const file = this.files.get(path);
    if (file !== undefined) file.posted = posted;
  }

  apply(action: FileAction, at: number): void {
    switch (action.kind) {
      case 'named_changed':
        this.changeNamed(action.script, action.by);
        return;
      case 'all_changed':
        this.changeAll(action.by);
        return;
      case 'ran':
        this.run(action);
        return;
      case 'written':
        this.set(this.nameOf(action.path), wholeText(action.text), at, null);
        return;
      case 'seen':
        this.see(action.path, action.text, at);
        return;
      case 'deleted':
        this.delete(action.path);
        return;
      case 'rewritten':
        this.remove(this.nameOf(action.path));
        return;
      case 'moved':
        this.move(action.path, action.to, at);
        return;
      case 'copied':
        this.copy(action.path, action.to, at);
        return;
      case 'replaced':
        this.change(action.path, at, 'an edit that could not be followed', (text) =>
          action.replacements.reduce<KnownText | null>(
            (now, replacement) => now && replaced(now, replacement, this.effort),
            text,
          ),
        );
        return;
      case 'inserted':
        this.change(action.path, at, 'an insertion that could not be followed', (text) =>
          inserted(text, action.after, action.text, this.effort),
        );
        return;
      case 'appended':
        this.change(action.path, at, 'an addition that could not be followed', (text) =>
          appended(text, action.text),
        );
        return;
      case 'patched':
        this.change(action.path, at, 'a patch that could not be followed', (text) =>
          patched(text, action.hunks, this.effort),
        );
        if (action.to !== null) this.move(action.path, action.to, at);
        return;
      case 'undone':
        this.undo(action.path, at);
        return;
      case 'changed': {
        const file = this.files.get(this.nameOf(action.path));
        if (file !== undefined) file.changedBy ??= action.by;
        return;
      }
      default:
        action satisfies never;
    }
  }

  /**
   * The path under which a file is known. One that was written without its folder is the only known
   * file whose path ends so, and the other way round.
   */
  private nameOf(path: string): string {
    if (this.files.has(path)) return path;
    const namesakes = [...(this.byName.get(lastSegment(path)) ?? [])].slice(0, MOST_NAMESAKES);
    const same = namesakes.filter((other) =>
      path.startsWith('/')
        ? !other.startsWith('/') && path.endsWith(`/${other}`)
        : other.endsWith(`/${path}`),
    );
    return same.length === 1 ? (same[0] ?? path) : path;
  }

  private set(path: string, text: KnownText, at: number, changedBy: string | null): void {
    const before = this.files.get(path)?.text ?? null;
    this.lost.delete(path);
    // Put in anew, so that the one that was used longest ago stands first.
    this.files.delete(path);
    this.files.set(path, { path, text, at, changedBy, before, posted: null });
    const [oldest] = this.files.keys();
    if (this.files.size > MOST_FILES && oldest !== undefined) this.remove(oldest);
    const name = lastSegment(path);
    const namesakes = this.byName.get(name) ?? new Set();
    this.byName.set(name, namesakes.add(path));
  }

  private remove(path: string): Entry | undefined {
    const file = this.files.get(path);
    this.lost.add(path);
    this.files.delete(path);
    this.byName.get(lastSegment(path))?.delete(path);
    return file;
  }

  private see(path: string, seen: KnownText | null, at: number): void {
    const name = this.nameOf(path);
    const file = this.files.get(name);
    if (seen === null) {
      if (file !== undefined) file.at = at;
      return;
    }
    const isNew = file === undefined || textWhenWhole(seen) !== null;
    const both = isNew ? null : merged(file.text, seen, this.effort);
    // Where the two disagree, lines known before may have moved: what was seen last counts alone.
    if (both === null) this.set(name, seen, at, null);
    else this.set(name, both, at, file?.changedBy ?? null);
  }

  private change(
    path: string,
    at: number,
    by: string,
    next: (text: KnownText) => KnownText | null,
  ): void {
    const name = this.nameOf(path);
    const file = this.files.get(name);
    if (file === undefined) return;
    const text = next(file.text);
    if (text === null) {
      file.at = at;
      file.changedBy ??= by;
    } else this.set(name, text, at, file.changedBy);
  }

  private undo(path: string, at: number): void {
    const file = this.files.get(this.nameOf(path));
    if (file === undefined) return;
    if (file.before === null) this.remove(file.path);
    else this.set(file.path, file.before, at, file.changedBy);
  }

  private delete(path: string): void {
    if (this.remove(this.nameOf(path)) !== undefined) return;
    for (const other of [...this.files.keys()]) if (isInside(other, path)) this.remove(other);
  }

  private move(path: string, to: string, at: number): void {
    const file = this.remove(this.nameOf(path));
    if (file !== undefined) {
      this.remove(to);
      this.set(to, file.text, at, file.changedBy);
      return;
    }
    let isFolder = false;
    for (const other of [...this.files.keys()]) {
      if (!isInside(other, path)) continue;
      const inside = this.remove(other);
      if (inside === undefined) continue;
      isFolder = true;
      this.set(to + other.slice(path.length), inside.text, inside.at, inside.changedBy);
    }
    // Something that nobody has seen took the place of what was known there.
    if (!isFolder) this.remove(this.nameOf(to));
  }

  private copy(path: string, to: string, at: number): void {
    const file = this.files.get(this.nameOf(path));
    if (file === undefined) this.remove(this.nameOf(to));
    else this.set(to, file.text, at, file.changedBy);
  }

  private changeAll(by: string): void {
    for (const file of this.files.values()) file.changedBy ??= by;
  }

  private run({ path, by, isPatch }: Extract<FileAction, { kind: 'ran' }>): void {
    const file = this.files.get(this.nameOf(path));
    if (file === undefined) {
      if (isPatch) this.changeAll(by);
      return;
    }
    const program = file.text.blocks.map(({ text }) => text).join('\n');
    if (isPatch || mayWrite(program)) this.changeNamed(program, by);
  }

  private changeNamed(script: string, by: string): void {
    for (const file of this.files.values()) {
      if (!this.effort.spend(script.length)) file.changedBy ??= by;
      else if (script.includes(lastSegment(file.path))) file.changedBy ??= by;
    }
  }
}
