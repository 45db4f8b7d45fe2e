import { baseName } from '../../names.ts';
import type { FileAction } from '../action.ts';
import { LONGEST_PATH, resolvePath } from '../paths.ts';
import { actionsOfProgram, mayWrite } from '../program-text.ts';
import { gitDoubts } from './git.ts';
import type { Command } from './lex.ts';
import {
  CHECKERS,
  CHECKING_TASK,
  FORMATTERS,
  INTERPRETERS,
  PACKAGE_FILES,
  PACKAGE_MANAGERS,
  PACKAGE_WORDS,
  READERS,
  REWRITES,
  REWRITING_TASK,
  REWRITING_WORDS,
  TASK_RUNNERS,
  WITH_VERB,
} from './programs.ts';
import { sedWork } from './sed.ts';
import { DEEPEST, unwrapped } from './wrappers.ts';

/** The start of a command line, for the note that says what may have changed a file. */
export function clipped({ words }: Command): string {
  const start = words.slice(0, 61).map(({ text }) => text.slice(0, 2_000));
  const line = start.join(' ').slice(0, 2_000).replaceAll(/\s+/g, ' ').slice(0, 61);
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/**
 * What a command may have changed. The rule: a command that is not known to read only may have
 * changed every file that its words name, lie around (folders) or match (patterns); one that rewrites
 * and names nothing, every file in its folder; one whose files cannot be told, any file.
 */
export function doubtsOf(whole: Command, folder: string | null, depth = 0): FileAction[] {
  const by = clipped(whole);
  const all: FileAction[] = [{ kind: 'all_changed', by }];
  const { command, isFed } = unwrapped(whole);
  const [name = '', ...args] = command.words.map(({ text }) => text);
  const program = baseName(name);
  const some = (words: readonly string[]): FileAction[] => {
    const targets = words.flatMap((word) => targetsIn(word, folder));
    return targets.length === 0 ? [] : [{ kind: 'may_change', targets, by }];
  };
  // Words that are known when the script runs may name any file.
  const rewrites = (words: readonly string[], isWholeFolder: boolean): FileAction[] => {
    const isAny = isFed || words.some((word) => /^["']?\$[\w{(@*][^/]*$|^`/.test(word));
    if (isAny) return all;
    return some(words.length === 0 && isWholeFolder ? ['.'] : words);
  };
  const given = args.filter((arg) => !isOption(arg));
  if (program === '' || READERS.has(program)) return [];
  switch (program) {
    case 'gh':
      // It switches to the branch of the request, or brings the branches up to date.
      return /^(?:pr checkout|repo sync|issue develop)$/.test(given.slice(0, 2).join(' '))
        ? all
        : [];
    case 'docker':
    case 'docker-compose':
    case 'podman':
      return args.some((arg) => /^(?:exec|run|cp)$/.test(arg)) ? some(args) : [];
    case 'git':
      return gitDoubts(args, some, by);
    case 'find':
    case 'fd':
      return findDoubts(command, folder, some, depth);
    case 'sort':
      return some(valuesOf(args, /^(?:-o|--output)$/));
    case 'curl':
      return some([
        ...valuesOf(args, /^(?:-\w*o|--output)$/),
        ...(args.some((arg) => /^-\w*[OJ]|^--remote/.test(arg)) ? given.map(baseName) : []),
      ]);
    case 'wget':
      return some([...valuesOf(args, /^(?:-\w*O|--output-document)$/), ...given.map(baseName)]);
    case 'tar':
    case 'bsdtar':
      if (/^-{0,2}\w*t|^--list/.test(args[0] ?? '')) return [];
      return /^-{0,2}\w*x|^--(?:extract|get)/.test(args[0] ?? '')
        ? rewrites([...given, '.'], true)
        : some(given.slice(0, 1));
    case 'unzip':
    case '7z':
    case 'cpio':
      return /^-\w*[lpt]/.test(args[0] ?? '') ? [] : rewrites([...given, '.'], true);
    case 'sed':
      return sedRewrites(args) ? rewrites(filesOfSed(args), false) : [];
    case 'awk':
    case 'gawk':
      if (/^-i|^--in-?place/.test(args[0] ?? '')) return rewrites(given, false);
      return />\s*["']?[\w./$]/.test(given[0] ?? '') && /print[^}]{0,500}>/.test(given[0] ?? '')
        ? actionsOfProgram(given[0] ?? '', by)
        : [];
    default:
  }
  if (program === 'eval') return shellDoubts(args.join(' '), some, all);
  const text = /^(?:ba|z|da)?sh$/.test(program) && /^-\w*c$/.test(args[0] ?? '') ? args[1] : null;
  if (typeof text === 'string') return shellDoubts(text, some, all);
  // Deno and Bun run programs, and tasks and tools by their words.
  const hasTool =
    program === 'deno' && /^(?:fmt|lint|test|check|bench|doc|info)$/.test(args[0] ?? '');
  if (INTERPRETERS.test(program) && !hasTool)
    return interpreterDoubts(command, folder, some, rewrites, by);
  const [word = ''] = given;
  if (PACKAGE_MANAGERS.has(program) && PACKAGE_WORDS.has(word)) {
    return /^audit$/.test(word) && !given.includes('fix') ? [] : some([...PACKAGE_FILES]);
  }
  if (CHECKERS.has(program)) {
    const isRewriting =
      args.some((arg) => REWRITES.test(arg)) ||
      (REWRITING_WORDS.has(word) && !args.some((arg) => /^--(?:check|diff|dry-run)/.test(arg)));
    if (!isRewriting) return some(valuesOf(args, /^(?:-o|--out\S*)$/));
    const hasVerb = WITH_VERB.has(program) || REWRITING_WORDS.has(word);
    return rewrites(hasVerb ? given.slice(1) : given, true);
  }
  if (FORMATTERS.has(program)) {
    return args.some((arg) => /^--(?:check|diff)/.test(arg))
      ? []
      : rewrites(
          given.filter((each) => each !== 'run'),
          true,
        );
  }
  if (TASK_RUNNERS.has(program)) {
    if (given.slice(0, 2).some((task) => CHECKING_TASK.test(task))) return [];
    return given.some((task) => REWRITING_TASK.test(task))
      ? rewrites([], true)
      : some(given.slice(1));
  }
  const ran: FileAction[] = name.includes('/')
    ? [
        {
          kind: 'ran',
          path: resolvePath(name, folder),
          by,
          isPatch: false,
          args: targetsOf(args, folder),
        },
      ]
    : some(args);
  // What it works on, it is given by the command in front of it.
  return isFed && args.some((arg) => REWRITES.test(arg)) ? all : ran;
}

/** The files, folders and patterns that words name; a part after `=` may be a path, too. */
export function targetsOf(words: readonly string[], folder: string | null): string[] {
  return words.flatMap((word) => targetsIn(word, folder));
}

function targetsIn(word: string, folder: string | null): string[] {
  if (word.length > LONGEST_PATH || word.includes('\n')) return [];
  const value = /^(?:-{1,2}[\w-]{1,100}|\w{1,100})=(.+)$/.exec(word)?.[1];
  const path = value ?? (isOption(word) ? '' : word);
  // Nothing but a variable: it may be no path at all.
  if (path === '' || /^\$[\w{(@*#?][^/]*$/.test(path)) return [];
  return [resolvePath(path.replace(/\/?\.\.\.$/, '') || '.', folder)];
}

function isOption(word: string): boolean {
  return word.startsWith('-') || word.startsWith('+');
}

/** What stands after options that are written so; `--name=value` is found as a word with a value. */
function valuesOf(args: readonly string[], option: RegExp): string[] {
  return args.flatMap((arg, at) => {
    if (option.test(arg)) return [args[at + 1] ?? ''];
    return arg.startsWith('--') && arg.includes('=') && option.test(arg.slice(0, arg.indexOf('=')))
      ? [arg]
      : [];
  });
}

type Some = (words: readonly string[]) => FileAction[];

/** `find` changes what it finds with `-delete`, and with a program that is not known to read only. */
function findDoubts(
  command: Command,
  folder: string | null,
  some: Some,
  depth: number,
): FileAction[] {
  const words = command.words.map(({ text }) => text);
  const start = words.findIndex((word) =>
    /^-(?:exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$/.test(word),
  );
  const isDeleting = words.includes('-delete');
  const inner = start === -1 ? [] : command.words.slice(start + 1);
  if (!isDeleting && inner.length === 0) return [];
  // The files that it finds stand for the braces.
  const fed = { ...command, words: [...inner, { text: '$found', isPlain: false }] };
  const isChanging =
    isDeleting ||
    isRemover(inner[0]?.text ?? '') ||
    depth >= DEEPEST ||
    doubtsOf(fed, folder, depth + 1).length > 0;
  if (!isChanging) return [];
  const end = words.findIndex((word, at) => at > 0 && /^[-(!]/.test(word));
  const folders = words.slice(1, end === -1 ? undefined : end);
  return some(folders.length === 0 ? ['.'] : folders);
}

/** Programs that the rest of the rules follow file by file, where they are given names. */
export function isRemover(name: string): boolean {
  return /^(?:rm|mv|cp|tee|ln|install|patch|apply_patch|rsync|truncate|shred|unlink)$/.test(
    baseName(name),
  );
}

export function sedRewrites(args: readonly string[]): boolean {
  return args.some((arg) => /^(?:-[nErsuz]*i|--in-place)/.test(arg));
}

/** The files that `sed -i`, or `perl -i`, is given. */
function filesOfSed(args: readonly string[]): string[] {
  const words = args.map((text) => ({ text, isPlain: false }));
  return sedWork(words).files.map(({ text }) => text);
}

/** A script inside a script is not followed: where it looks as if it changed files, it may be any. */
function shellDoubts(script: string, some: Some, all: FileAction[]): FileAction[] {
  const text = script.slice(0, 50_000).replaceAll(/\d?>{1,2}\s{0,9}(?:&\d|\/dev\/null)/g, '');
  const isChanging =
    /[>]|\b(?:rm|mv|cp|ln|tee|patch|write|fix|fmt|format|unlink|truncate|xargs|git)\b|\s-\w{0,9}i\b|-delete/;
  return isChanging.test(text) ? all : some(text.split(/\s+/));
}

/** A program in the script itself changes what it names; one in a file, what it is given, too. */
function interpreterDoubts(
  { words, heredoc, redirects }: Command,
  folder: string | null,
  some: Some,
  rewrites: (words: readonly string[], isWholeFolder: boolean) => FileAction[],
  by: string,
): FileAction[] {
  const [name = '', ...args] = words.map(({ text }) => text);
  const isInline = args.some((arg) => /^(?:-\w*[ce]|--eval|-p|--print|-)$/.test(arg));
  if (baseName(name) === 'perl' && args.some((arg) => /^-\w*i/.test(arg))) {
    return rewrites(
      filesOfSed(args.filter((arg) => !/^-[^\Wi]*i\w*$|^-[pn]$/.test(arg) || arg === '-pe')),
      false,
    );
  }
  const text = [heredoc?.text ?? '', ...(isInline ? args : [])].join('\n');
  const own = actionsOfProgram(text, by);
  const fed = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target.text);
  // The program comes from the command in front of it.
  if (heredoc === null && fed.length === 0 && args.every((arg) => arg === '-' || arg === '-s')) {
    return [{ kind: 'all_changed', by }];
  }
  const [file, ...given] =
    isInline || heredoc !== null ? [] : [...fed, ...args.filter((arg) => !isOption(arg))];
  if (file === undefined)
    return isInline && mayWrite(text)
      ? [...own, ...some(args.filter((arg) => !/[\s(;]/.test(arg)))]
      : own;
  const path = resolvePath(file, folder);
  return [...own, { kind: 'ran', path, by, isPatch: false, args: targetsOf(given, folder) }];
}
