import { baseName } from '../names.ts';
import type { Run } from './ledger.ts';

/** Scripts of a shell by their endings, and programs that are named with a folder. */
const SCRIPT = /\.(?:sh|bash|zsh|fish|ps1|bat|cmd)$|\//i;
/** The builtin of shells, which compares. */
const BUILTIN = /^\/(?:usr\/)?bin\//;
const NAMES: readonly [Run['kind'], RegExp][] = [
  ['test', /^(?:.{0,60}[-_.:])?(?:run)?(?:unit)?(?:tests?|specs?|e2e|smoke)$|^(?:run)?tests?[-_]/i],
  ['check', /^(?:.{0,60}[-_.:])?(?:lint|checks|type-?check|ci)$/i],
  ['build', /^(?:.{0,60}[-_.:])?(?:build|compile)$|^build[-_]/i],
];
/** Programs that run the file that they are given. */
const SHELLS = /^(?:(?:ba|z|da|k|fi)?sh|pwsh|powershell)$/i;
const INTERPRETERS = /^(?:python|python[23]|python\d\.\d{1,2}|node|tsx|ruby|php|perl|lua|julia)$/;
/** What a file is named that runs tests by itself; `test_fix.py` may be any attempt. */
const TEST_FILE = /^(?:run[-_]?(?:all[-_]?)?tests?|.{1,60}_(?:test|spec)|.{1,60}\.(?:test|spec))$/i;

/** A program as it is called on every system: without its folder and the ending that Windows wants. */
export function programName(word: string): string {
  return baseName(word).replace(/^\.(?=\w)|\.(?:exe|cmd|bat|ps1)$/gi, '');
}

/** What a script does by its name, such as `./run_tests.sh`, with what it is given; null for others. */
export function kindOfScript([program = '', ...args]: readonly string[]): Run['kind'] | null {
  const name = programName(program);
  const isShell = SHELLS.test(name);
  if (!isShell && !INTERPRETERS.test(name)) return kindByName(program);
  const file = args.find((word) => !word.startsWith('-')) ?? '';
  if (isShell) return kindByName(file);
  return TEST_FILE.test(withoutEnding(file)) ? 'test' : null;
}

function kindByName(word: string): Run['kind'] | null {
  if (!SCRIPT.test(word) || BUILTIN.test(word)) return null;
  const name = withoutEnding(word);
  return NAMES.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

function withoutEnding(word: string): string {
  return baseName(word).replace(/^\.(?=\w)|\.[a-z][a-z0-9]{0,4}$/gi, '');
}
