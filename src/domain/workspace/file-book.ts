import type { Attachment } from '../items/item.ts';
import { baseName } from '../names.ts';
import { changedBy, changesNamed, type FileAction } from './action.ts';
import type { Effort } from './effort.ts';
import { type KeptFile, KeptFiles, type KnownFile } from './kept-files.ts';
import {
  appended,
  inserted,
  isPartToItsEnd,
  type KnownText,
  linesOf,
  merged,
  overlap,
  replaced,
  substituted,
  textWhenWhole,
  wholeText,
} from './known-text.ts';
import { withShownLines } from './outside-change.ts';
import { patched, withoutPatched } from './patch.ts';
import { isOnWindows, isPerhapsFolder, resolvePath } from './paths.ts';
import { effectOfProgram, type ProgramEffect, programOf } from './program-text.ts';
import { textOfRestored } from './restored-text.ts';

type Next = (text: KnownText) => KnownText | null;

/** What it takes to move one file of a folder, in characters looked at. */
const MOVE_COST = 2_000;

/** What is known of files, kept up to date with what calls do to them. */
export class FileBook {
  private readonly files: KeptFiles;
  private readonly effort: Effort;
  /** Calls whose changes some file had before they came. */
  private readonly calls = new Set<string>();

  constructor(effort: Effort) {
    this.effort = effort;
    this.files = new KeptFiles(effort);
  }

  /** All files of which something is known. */
  known(): KnownFile[] {
    return this.files.known();
  }

  /** Puts in a file as an attachment gives it. */
  put(posted: Attachment & { path: string }, at: number): void {
    const { text, changedBy } = textOfRestored(posted);
    const path = isOnWindows(posted.path) ? resolvePath(posted.path, null) : posted.path;
    const file = this.files.set(path, text, at, changedBy, posted.calls);
    if (file === undefined) return;
    file.posted = posted;
    for (const call of posted.calls ?? []) this.calls.add(call);
  }

  /** `call`: the id of the call that has done so; what a file has of it already is not done to it again. */
  apply(action: FileAction, at: number, call?: string): void {
    if (call !== undefined && this.has(action, call)) return;
    switch (action.kind) {
      case 'named_changed':
        this.files.doubtNamed(action.script, action.by);
        return;
      case 'may_change':
        this.files.doubtTargets(action.targets, action.by);
        return;
      case 'all_changed':
        this.files.doubtAll(action.by);
        return;
      case 'ran':
        this.run(action);
        return;
      case 'written':
        this.files.set(
          this.files.placeOf(action.path, `a write of ${action.path}`),
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
        this.files.lose(this.files.placeOf(action.path, `a write of ${action.path}`));
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
        const left = (text: KnownText) => withoutPatched(text, action.hunks, this.effort);
        const path = this.change(action.path, at, 'a patch', next, isTelling, left);
        // Its new path begins in the same folder as the old one.
        const start = path.endsWith(`/${action.path}`) ? path.length - action.path.length : 0;
        if (action.to !== null) this.move(path, path.slice(0, start) + action.to, at);
        return;
      }
      case 'undone':
        this.undo(action.path, at);
        return;
      case 'changed': {
        const file = this.files.changed(action.path, action.by);
        if (file === undefined) return;
        const { substitutions, isCertain } = action;
        const next: Next = (text) =>
          isCertain && substitutions !== undefined
            ? substituted(text, substitutions, this.effort)
            : null;
        const text = next(file.text);
        if (text === null) this.files.doubt(file, action.by);
        else this.follow(file, text, at, next);
        return;
      }
      case 'changed_outside':
        this.changeOutside(action, at);
        return;
      default:
        action satisfies never;
    }
  }

  /** All that a call has done to these files was applied. Ids may come again, for other changes. */
  carriedOut(call: string, paths: readonly string[]): void {
    if (this.calls.has(call)) this.files.carriedOut(call, paths);
  }

  private changeOutside(
    { path, lines, by }: Extract<FileAction, { kind: 'changed_outside' }>,
    at: number,
  ): void {
    const file = this.files.changed(path, by);
    if (file === undefined || (lines !== null && isAhead(file))) return;
    const text = lines === null ? null : withShownLines(file.text, lines, this.effort);
    if (text !== null && lines !== null)
      this.seeInPart(file, text, { blocks: lines, total: null }, at);
    else if (lines === null || textWhenWhole(file.text) !== null) this.files.doubt(file, by);
    // Where the two disagree, lines known before may have moved: what was shown last counts alone.
    else this.files.set(file.path, { blocks: lines, total: null }, at, null);
  }

  private see(path: string, seen: KnownText | null, at: number): void {
    const known = this.files.certain(path);
    if (seen === null) {
      if (known !== undefined) known.at = at;
      return;
    }
    const others = this.files.namesakes(path, `a read of ${path}`).filter((file) => file !== known);
    const shown = others.map((file) => ({ file, is: overlap(file.text, seen, this.effort) }));
    // Another file of this name, or the same one changed meanwhile.
    for (const { file, is } of shown) {
      if (is === 'other') this.files.doubt(file, `${path} was seen otherwise`);
    }
    if (
      known !== undefined &&
      known.path !== path &&
      overlap(known.text, seen, this.effort) === 'other'
    ) {
      this.files.removeAlias(path);
      this.files.doubt(known, `${path} was seen otherwise`);
    } else if (known !== undefined) {
      this.seeAgain(known, seen, at);
      return;
    }
    const same = shown.filter(({ is }) => is === 'same');
    const inside = shown.filter(({ is }) => is === 'same' || is === 'inside');
    const [only] = inside;
    if (only === undefined || inside.length > 1) this.files.set(path, seen, at, null);
    else if (same.length === 0) only.file.at = at;
    else {
      this.files.addAlias(path, only.file.path);
      this.files.set(only.file.path, seen, at, null);
    }
  }

  private seeAgain(known: KeptFile, seen: KnownText, at: number): void {
    const isWhole = textWhenWhole(seen) !== null;
    if (!isWhole && isAhead(known)) {
      known.at = at;
      return;
    }
    const both = isWhole ? null : merged(known.text, seen, this.effort);
    // Where the two disagree, lines known before may have moved: what was seen last counts alone.
    if (both === null) this.files.set(known.path, seen, at, null);
    else this.seeInPart(known, both, seen, at);
  }

  /** `both`: what is known of a file with what was seen of it. */
  private seeInPart(known: KeptFile, both: KnownText, seen: KnownText, at: number): void {
    if (known.changedBy === null) {
      this.files.set(known.path, both, at, null);
      return;
    }
    const since = known.seen === null ? seen : (merged(known.seen, seen, this.effort) ?? seen);
    // All of it was read since, part by part.
    if (linesOf(since) >= linesOf(both)) this.files.set(known.path, since, at, null);
    else this.files.setInPart(known, both, at, since);
  }

  /**
   * Changes what is known of a file. `isTelling`: that it can be followed shows which file it was,
   * where several have such a path. `left`: what is still known where it cannot be followed. Gives the path
   * that it was changed under.
   */
  private change(
    path: string,
    at: number,
    by: string,
    next: Next,
    isTelling: boolean,
    left = (known: KnownText) => known,
  ): string {
    const certain = this.files.certain(path);
    const others = this.files
      .namesakes(path, `${by} of ${path}`)
      .filter((file) => file !== certain);
    const fitting =
      certain === undefined && isTelling ? others.filter(({ text }) => next(text) !== null) : [];
    const guessed = fitting.length === 1 ? fitting[0] : undefined;
    for (const file of others) if (file !== guessed) this.files.doubt(file, `${by} of ${path}`);
    const file = certain ?? guessed;
    if (file === undefined) return path;
    const text = next(file.text);
    if (text === null) {
      const known = left(file.text);
      const { changedBy } = file;
      const kept = known === file.text ? file : this.files.set(file.path, known, at, changedBy);
      if (kept === undefined) return file.path;
      kept.at = at;
      // It may have more lines now, or fewer, than there were of those that are known.
      if (isPartToItsEnd(known)) kept.text = { ...known, total: null };
      this.files.doubt(kept, `${by} that could not be followed`);
    } else this.follow(file, text, at, next);
    return file.path;
  }

  /** A file after a change that is known; what may have changed it before still may have. */
  private follow(file: KeptFile, text: KnownText, at: number, next: Next): void {
    if (file.changedBy === null) this.files.set(file.path, text, at, null);
    else this.files.setInPart(file, text, at, file.seen === null ? null : next(file.seen));
  }

  private has(action: FileAction, call: string): boolean {
    if (!changesNamed(action) || !this.calls.has(call)) return false;
    const to = changedBy(action).at(-1) ?? action.path;
    const path = this.files.isFolder(to) ? `${to}/${baseName(action.path)}` : to;
    const certain = this.files.certain(path);
    // The call may name it otherwise, as from its folder.
    const named =
      certain === undefined ? this.files.namesakes(path, `a change of ${path}`) : [certain];
    return named.some(({ calls }) => calls.includes(call));
  }

  private undo(path: string, at: number): void {
    const file = this.files.changed(path, `an edit of ${path} taken back`);
    if (file === undefined) return;
    if (file.before === null) this.files.lose(file.path);
    else this.files.set(file.path, file.before, at, file.changedBy);
  }

  private delete(path: string): void {
    const isFolder = this.files.certain(path) === undefined && this.files.isFolder(path);
    if (isFolder) for (const other of this.files.inside(path, 'rm')) this.files.lose(other);
    else this.files.doubtTargets([path], `rm ${path}`);
    this.files.lose(this.files.placeOf(path, `rm ${path}`));
  }

  private move(path: string, given: string, at: number): void {
    const to = this.files.isFolder(given) ? `${given}/${baseName(path)}` : given;
    if (this.files.certain(path) === undefined && this.files.isFolder(path)) {
      for (const other of this.files.inside(path, 'mv')) {
        const file = this.files.lose(other);
        if (file === undefined || !this.effort.spend(MOVE_COST + to.length)) continue;
        this.files.set(to + other.slice(path.length), file.text, file.at, file.changedBy);
      }
      return;
    }
    const file = this.files.lose(this.files.placeOf(path, `mv ${path}`));
    this.files.lose(this.files.placeOf(to, `mv ${path}`));
    if (file !== undefined && !isPerhapsFolder(to, path)) {
      this.files.set(to, file.text, at, file.changedBy);
    }
  }

  private copy(path: string, given: string, at: number): void {
    const isFolder = this.files.isFolder(given);
    const to = isFolder ? `${given}/${baseName(path)}` : given;
    const file = this.files.certain(path);
    // The files in a folder that nobody has seen take the places of those that are known.
    if (file === undefined && isFolder) this.files.doubtTargets([given], `cp ${path}`);
    this.files.lose(this.files.placeOf(to, `cp ${path}`));
    if (file !== undefined && !isPerhapsFolder(to, path)) {
      this.files.set(to, file.text, at, file.changedBy);
    }
  }

  private run({ path, by, isPatch, args }: Extract<FileAction, { kind: 'ran' }>): void {
    const file = this.files.certain(path);
    const effect = file === undefined ? null : this.effectOf(file, isPatch);
    if (effect === 'nothing') return;
    if (effect === 'anything' || (effect === null && isPatch)) this.files.doubtAll(by);
    else if (effect !== null) this.files.doubtNamed(effect.names, by);
    this.files.doubtTargets(args, by);
  }

  private effectOf(file: KeptFile, isPatch: boolean): ProgramEffect {
    if (isPatch) return { names: programOf(file.text.blocks) };
    file.runs ??= effectOfProgram(programOf(file.text.blocks));
    return file.runs;
  }
}

/** Whether a file has changes that are still to come: what is shown of it meanwhile is older. */
function isAhead({ calls }: KeptFile): boolean {
  return calls.length > 0;
}
