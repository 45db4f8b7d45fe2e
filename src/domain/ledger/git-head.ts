import type { ToolCall, ToolResult } from '../items/item.ts';
import { scriptOf } from '../items/shell-script.ts';
import { clipEnd, oneLine, withoutTerminalCodes } from '../text.ts';
import { Effort } from '../workspace/effort.ts';
import { isAnchored, isInside, resolvePath } from '../workspace/paths.ts';
import { shownBy } from '../workspace/result-text.ts';
import { courseOf, type Step } from '../workspace/shell/course.ts';
import { type Command, parseLoosely } from '../workspace/shell/lex.ts';
import type { GitHead } from './ledger.ts';

/** Characters of a script, and of both ends of what it printed, that are read. */
const LOOKED_AT = 20_000;
const LONGEST_SUBJECT = 140;
const LONGEST_BRANCH = 200;

const BRANCH = String.raw`[^\s'\]:~^?*[\\]{1,${LONGEST_BRANCH}}`;
const ONLY_BRANCH = new RegExp(`^${BRANCH}$`);
const ID = '[0-9a-f]{7,40}';
const COMMITTED = new RegExp(
  String.raw`^\[(${BRANCH}|detached HEAD)(?: \(root-commit\))? (${ID})\] (\S.{0,1000})$`,
);
const SWITCHED = new RegExp(
  `^(?:Switched to (?:a new |and reset )?branch|Already on) '(${BRANCH})'$`,
);
const STANDS = new RegExp(`^On branch (${BRANCH})$`);
const MOVED = new RegExp(String.raw`^HEAD is now at (${ID}) (\S.{0,1000})$`);
const DETACHED = /^(?:Note: (?:switching to|checking out) '|HEAD detached (?:at|from) )/;
/** A line of `git log --oneline`, with the branches that point there where it was asked for them. */
const LOGGED = new RegExp(
  String.raw`^(${ID}) (?:\(HEAD(?: -> (${BRANCH}?)(?=[,)]))?[^)\n]{0,400}\) )?(\S.{0,1000})$`,
);
/** Of words that only say how much of the newest commits is shown. */
const LOG_OPTION = /^-(?:-oneline|-decorate|-no-color|n|n?\d{1,4})$|^\d{1,4}$/;

/** After these the newest commit is another one, whose name they may not say. */
const MOVES = /^(?:am|checkout|cherry-pick|commit|merge|pull|rebase|reset|revert|switch)$/;

/** What `checkout` says when the branch has stayed the same. */
const STAYS = /^(?:Updated \d{1,7} paths? from |error: |fatal: )/m;

/** What Git says in a folder of no repository. */
const NO_REPOSITORY = /^fatal: not a git repository\b/m;

/** A script, what it printed, and the folder that it began in; null where that is not known. */
type Ran = { script: string; output: string; folder: string | null };

/** What the script of a call did. `shell`: the folder that the shell was in, where that is known. */
export function ranBy(
  call: ToolCall,
  result: ToolResult,
  script: string,
  shell: string | null,
): Ran {
  const given = scriptOf(call)?.folder ?? null;
  const folder = given === null ? shell : resolvePath(given, shell);
  return { script, output: shownBy(result), folder };
}

/**
 * Where a repository stands after a script: its branch, and its newest commit, each null where that is
 * not known. `at`: items folded.
 */
export function gitHeadAfter(head: GitHead, ran: Ran, at: number): GitHead {
  const { script, output } = ran;
  if (!/\b(?:git|gh) /.test(script)) return head;
  const pipelines = parseLoosely(script.slice(0, LOOKED_AT));
  const given = { folder: ran.folder, hasSucceeded: true, hasComplained: false };
  const { steps } = courseOf(pipelines, given, new Effort());
  const folders = steps.filter(asksGit).map(({ folder }) => folder);
  const folder = folders.at(-1) ?? null;
  // Which line is of which repository nobody can tell.
  if (folders.some((other) => areApart(other, folder))) return UNKNOWN;
  const commands = pipelines.flatMap(({ commands }) => commands);
  if (!areApart(head.folder, folder)) {
    const own = NO_REPOSITORY.test(output) ? head.folder : outer(head.folder, folder);
    return { ...afterCommands(head, commands, output, at), folder: own };
  }
  const other = afterCommands(UNKNOWN, commands, output, at);
  return other.branch === null && other.commit === null ? head : { ...other, folder };
}

const UNKNOWN: GitHead = { folder: null, branch: null, commit: null };

function isCd({ words: [program] }: Command): boolean {
  return program?.text === 'cd';
}

function asksGit({ pipeline }: Step): boolean {
  return pipeline.commands.some((command) => wordsOfGit(command) !== null);
}

/** Whether two folders can only be of two repositories, or of two parts of one that is not known. */
function areApart(one: string | null, other: string | null): boolean {
  if (one === null || other === null || one === other) return false;
  if (!isAnchored(one) || !isAnchored(other)) return false;
  return !isInside(one, other) && !isInside(other, one);
}

/** The one of two folders that lies above the other. */
function outer(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one.length <= other.length ? one : other;
}

function afterCommands(
  head: GitHead,
  commands: readonly Command[],
  output: string,
  at: number,
): GitHead {
  const asked = commands.map(wordsOfGit).filter((words) => words !== null);
  if (asked.length === 0) return head;
  const does = (...verbs: string[]) => asked.some(([verb = '']) => verbs.includes(verb));
  const { folder } = head;
  let { branch, commit } = head;
  if (asked.some(([verb = '', ...words]) => MOVES.test(verb) && movesHead(verb, words))) {
    commit = null;
  }
  if (asked.some(([verb = '', ...words]) => mayMoveBranch(verb, words)) && !STAYS.test(output)) {
    branch = null;
  }
  const isMaking = does('commit', 'cherry-pick', 'revert', 'merge');
  const isMoving = does('reset', 'checkout', 'switch', 'stash');
  const isSwitching = does('checkout', 'switch');
  const isTelling = does('status', 'commit');
  const isDetaching = isSwitching || does('status');
  for (const line of linesOf(output)) {
    const made = isMaking ? COMMITTED.exec(line) : null;
    const moved = isMoving ? MOVED.exec(line) : null;
    const switched = isSwitching ? SWITCHED.exec(line) : null;
    const stands = isTelling ? STANDS.exec(line) : null;
    if (made) {
      const [, name = '', id = '', subject = ''] = made;
      branch = name === 'detached HEAD' ? null : name;
      commit = { id, subject: told(subject), at };
    } else if (moved) {
      const [, id = '', subject = ''] = moved;
      commit = { id, subject: told(subject), at: 0 };
    } else if (switched) branch = switched[1] ?? null;
    else if (stands) branch = stands[1] ?? null;
    else if (isDetaching && DETACHED.test(line)) branch = null;
  }
  const isAlone = commands.every((command) => isCd(command) || wordsOfGit(command) !== null);
  const telling = asked.filter((words) => !isQuiet(words));
  const only = isAlone && telling.length === 1 ? telling[0] : undefined;
  const after = { folder, branch, commit };
  if (only === undefined) return after;
  const makes = asked.findLastIndex(([verb]) => verb === 'commit');
  // What was shown before is not the newest any more.
  if (makes > asked.indexOf(only)) return after;
  const known = commit ?? head.commit;
  return shownAlone(only, output, after, { known, at: makes === -1 ? 0 : at });
}

/**
 * What a script that only asks for the branch, or for the newest commits, has shown. `at`: when that was
 * made, unless it is the one that was known.
 */
function shownAlone(
  words: readonly string[],
  output: string,
  head: GitHead,
  { known, at }: { known: GitHead['commit']; at: number },
): GitHead {
  const [first = ''] = linesOf(output);
  const asked = words.join(' ');
  if (asked === 'branch --show-current' || asked === 'rev-parse --abbrev-ref HEAD') {
    const branch = ONLY_BRANCH.test(first) && first !== 'HEAD' ? first : null;
    return { ...head, branch };
  }
  const [verb, ...options] = words;
  const isNewest = verb === 'log' && options.includes('--oneline');
  const logged =
    isNewest && options.every((one) => LOG_OPTION.test(one)) ? LOGGED.exec(first) : null;
  if (logged === null) return head;
  const [, id = '', branch = head.branch, subject = ''] = logged;
  const made = known !== null && sameCommit(known.id, id) ? known.at : at;
  return { ...head, branch, commit: { id, subject: told(subject), at: made } };
}

function sameCommit(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** The words behind `git`; null of another program, and where it is asked about another folder. */
function wordsOfGit({ words: [program, ...words] }: Command): string[] | null {
  let texts = words.map(({ text }) => text);
  // The CLI of GitHub has Git check a branch out.
  if (program?.text === 'gh')
    return texts[0] === 'pr' && texts[1] === 'checkout' ? ['checkout'] : null;
  if (program?.text !== 'git') return null;
  if (texts[0] === '--no-pager') texts = texts.slice(1);
  while (texts[0] === '-c') texts = texts.slice(2);
  return texts[0]?.startsWith('-') === true ? null : texts;
}

/** Behind `-m` in one word stands the message. */
const IS_QUIET = /^-(?:-quiet$|[a-ln-z]*q)/i;

/** What prints nothing where it succeeds. */
function isQuiet([verb = '', ...words]: readonly string[]): boolean {
  return verb === 'add' || (verb === 'commit' && movesHead(verb, words));
}

/** Of files `checkout` and `reset` say nothing of the branch; a commit that was made says so, unless it is to be quiet. */
function movesHead(verb: string, words: readonly string[]): boolean {
  if (verb === 'checkout' || verb === 'reset') return !words.includes('--');
  return verb !== 'commit' || words.some((word) => IS_QUIET.test(word));
}

/** After these another branch is checked out, or it has another name: only their words say which. */
function mayMoveBranch(verb: string, words: readonly string[]): boolean {
  if (verb === 'branch') return words.some((word) => /^(?:-[mM]|--move)$/.test(word));
  return verb === 'switch' || (verb === 'checkout' && !words.includes('--'));
}

function linesOf(output: string): string[] {
  const isShort = output.length <= 2 * LOOKED_AT;
  const read = isShort ? output : `${output.slice(0, LOOKED_AT)}\n${output.slice(-LOOKED_AT)}`;
  return withoutTerminalCodes(read)
    .split('\n')
    .map((line) => line.trim());
}

function told(subject: string): string {
  return clipEnd(oneLine(subject), LONGEST_SUBJECT);
}
