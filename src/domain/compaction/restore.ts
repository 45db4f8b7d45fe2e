import type { Normalised } from '../items/item.ts';
import type { Json } from '../json.ts';
import type { Config } from '../policy/config.ts';
import type { TextCounter } from '../tokens/count.ts';
import type { KnownFile } from '../workspace/kept-files.ts';
import { textWhenWhole } from '../workspace/known-text.ts';
import { foldAround, foldWorkspace, type KnownWorkspace } from '../workspace/known-workspace.ts';
import { isLoadedCommand, isLoadedSkill } from '../workspace/program-notes.ts';
import { type RestoredFile, restoredFile } from '../workspace/restored-lines.ts';
import { type Material, originalsOf } from './material.ts';

/** A list of todos or a plan to put back: the entry that was posted, or what the log tells of it. */
export type RestoredNote =
  | { kind: 'posted'; material: Material }
  | { kind: 'todo'; content: Json }
  | { kind: 'plan'; content: string; path: string | null };

type Restorable = {
  files: RestoredFile[];
  todos: RestoredNote | null;
  plan: RestoredNote | null;
  /** What calls behind the cut have changed: the files have it already. */
  changes: KnownWorkspace['changes'];
};

/**
 * What a compaction up to `cut` puts back (SPEC section 9): the newest content that the session
 * knows of each file, todos, and plan. What stands in the initial context or after the cut, whole
 * and as it is now, stays there by itself.
 */
export function restorable(
  material: readonly Material[],
  cut: number,
  config: Config,
  count: TextCounter,
): Restorable {
  const wantsFiles = config.restore_max_files > 0;
  if (!wantsFiles && !config.restore_todos && !config.restore_plan) {
    return { files: [], todos: null, plan: null, changes: [] };
  }
  const originals = originalsOf(material);
  // A change after the cut is of what stood before it: what comes back is as it is now.
  const { before: covered, after: all } = foldAround(originals, cut);
  // After the cut the model reads what micro-compactions have left of the results.
  const kept = foldWorkspace(
    material.slice(cut).map(({ item }): Normalised => item),
    covered.folder,
  );
  const had = { ...all, files: all.files.filter(isOneOf(covered.files)) };
  const plan =
    config.restore_plan && covered.plan !== null ? planToRestore(material, had, kept) : null;
  // The plan is what its file holds.
  const file = plan?.kind === 'plan' ? plan.path : null;
  const files = { ...had, files: had.files.filter(({ path }) => path !== file) };
  return {
    files: wantsFiles ? filesToRestore(material, files, kept, config, count) : [],
    todos:
      config.restore_todos && covered.todos !== null ? todosToRestore(material, had, kept) : null,
    plan,
    changes: all.changes.slice(covered.changes.length),
  };
}

/** Whether it stands in the context whatever is covered. */
function stays(source: Material | undefined): boolean {
  return source?.entry.origin === 'initial' || source?.entry.pinned === true;
}

function isOneOf(files: readonly KnownFile[]): (file: KnownFile) => boolean {
  const paths = new Set(files.map(({ path }) => path));
  return ({ path }) => paths.has(path);
}

/**
 * The files, newest first, cut to `restore_tokens_per_file` and together within
 * `restore_total_file_budget` tokens.
 */
function filesToRestore(
  material: readonly Material[],
  known: KnownWorkspace,
  kept: KnownWorkspace,
  config: Config,
  count: TextCounter,
): RestoredFile[] {
  const standing = new Set(
    kept.files.filter(({ text }) => textWhenWhole(text) !== null).map(({ path }) => path),
  );
  const newest = known.files
    .filter(({ path, at }) => !standing.has(path) && !stays(material[at]))
    .filter(({ path }) => !isExcluded(path, config.restore_exclude))
    .sort((a, b) => recency(b, material) - recency(a, material));
  // Who calls a command is done with the one before.
  const overtaken = new Set(newest.filter(({ path }) => isLoadedCommand(path)).slice(1));
  const chosen = [
    ...newest.filter((file) => !isSkill(file)).slice(0, config.restore_max_files),
    ...newest.filter((file) => isSkill(file) && !overtaken.has(file)).slice(0, MOST_SKILLS),
  ];
  const most = (file: KnownFile) =>
    isSkill(file) ? mostOfSkill(config) : config.restore_tokens_per_file;
  const files = chosen.map((one) => () => restoredFile(one, most(one), count));
  return withinBudget(files, config, count);
}

/**
 * Skills that come back beside the files: an agent follows what it has loaded as long as its task lasts,
 * however long ago that was. Claude Code puts them back, too.
 */
const MOST_SKILLS = 4;
const isSkill = ({ path }: KnownFile) => isLoadedSkill(path);

/** As much as Claude Code puts back of one, in tokens. */
const LONGEST_SKILL = 5_000;

/** In a small window more of a skill comes back than of a file: half of its rules are no rules. */
function mostOfSkill({ restore_tokens_per_file, restore_total_file_budget }: Config): number {
  const share = Math.floor(restore_total_file_budget / MOST_SKILLS);
  return Math.max(restore_tokens_per_file, Math.min(share, LONGEST_SKILL));
}

/** Those of the files, made one after the other, that the budget of all has room for. */
export function withinBudget(
  files: readonly (() => RestoredFile | null)[],
  config: Config,
  count: TextCounter,
): RestoredFile[] {
  const fitting: RestoredFile[] = [];
  let budget = config.restore_total_file_budget;
  for (const made of files) {
    const file = made();
    if (file === null) continue;
    const tokens = count(file.content);
    if (tokens <= budget) {
      budget -= tokens;
      fitting.push(file);
    } else if (config.restore_over_budget === 'stop') break;
  }
  return fitting;
}

/** What an earlier compaction restored stands newest first, and is older than all in the log. */
function recency({ at }: KnownFile, material: readonly Material[]): number {
  return material[at]?.entry.origin === 'file' ? -at : at;
}

/** `*.x` matches the end of a path, anything else any part of it. */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*') ? path.endsWith(pattern.slice(1)) : path.includes(pattern),
  );
}

function todosToRestore(
  material: readonly Material[],
  { todos }: KnownWorkspace,
  kept: KnownWorkspace,
): RestoredNote | null {
  if (todos === null || kept.todos?.isWhole || isEmpty(todos.content)) return null;
  const source = material[todos.at];
  if (stays(source)) return null;
  if (todos.isPosted && source !== undefined) return { kind: 'posted', material: source };
  return { kind: 'todo', content: todos.content };
}

function planToRestore(
  material: readonly Material[],
  { plan }: KnownWorkspace,
  kept: KnownWorkspace,
): RestoredNote | null {
  if (plan === null || kept.plan !== null || isEmpty(plan.content)) return null;
  const source = material[plan.at];
  if (stays(source)) return null;
  if (plan.isPosted && source !== undefined) return { kind: 'posted', material: source };
  return { kind: 'plan', content: plan.content, path: plan.path };
}

function isEmpty(content: Json): boolean {
  return typeof content === 'string'
    ? content.trim() === ''
    : Array.isArray(content) && content.length === 0;
}
