import { type Command, parseLoosely } from '../workspace/shell/lex.ts';
import { kindOfCommand, LONGEST_KEY } from './command-line.ts';
import { isLater } from './inherit.ts';
import type { Run } from './ledger.ts';
import { programName } from './script-names.ts';

/**
 * The newest run that has passed after another one failed, and that has run all that failed there: the
 * whole after a part of it, or the same called by another path. Undefined where there is none.
 */
export function passedSince(failed: Run, runs: readonly Run[]): Run | undefined {
  if (failed.outcome !== 'failed') return undefined;
  const parts = commandsOf(failed);
  if (parts.length === 0) return undefined;
  return runs.findLast((run) => {
    if (run.outcome !== 'ok' || run.kind !== failed.kind || !isLater(run, failed)) return false;
    if (run.command.length >= LONGEST_KEY) return false;
    const wholes = commandsOf(run);
    return parts.every((part) => wholes.some((whole) => covers(whole, part)));
  });
}

/** What a run does, without what stands around it or was to be installed first: each command as the words behind what starts it. */
function commandsOf({ command }: Run): string[][] {
  return parseLoosely(command)
    .flatMap(({ commands }) => commands)
    .filter((one) => kindOfCommand(one) !== null)
    .map(wordsOf)
    .filter(([program = '', verb]) => !RUNS_ANYTHING.test(program) && verb !== 'install');
}

/** Two scripts of one of these have nothing in common. */
const RUNS_ANYTHING =
  /^(?:python|python[23]|python3\.\d{1,2}|node|deno|bun|tsx|ruby|perl|php|Rscript|(?:ba|z|da|k|fi)?sh|pwsh|powershell)$/i;

/** What only starts a program: `uv run`, `npx`, `python -m`, `python` before Django's script, and variables for it. */
const LAUNCHER =
  /^(?:\w{1,60}=\S{0,200} |(?:uv|poetry|pipenv|hatch|rye) run |(?:npx|bunx) |bundle exec |\S{0,200}python[\d.]{0,4} (?:-m |(?=(?:\S{0,200}\/)?manage\.py )))/;
const MOST_LAUNCHERS = 5;

function wordsOf({ words }: Command): string[] {
  let rest = words.map(({ text }) => text).join(' ');
  for (let step = 0; step < MOST_LAUNCHERS && LAUNCHER.test(rest); step++) {
    rest = rest.replace(LAUNCHER, '');
  }
  const [program = '', ...others] = rest.split(/\s+/);
  // Without a word of its own it looks for tests as well, and in a folder that is named for others.
  if (program === 'unittest' && others[0] === 'discover' && others.slice(1).every(isPrinting)) {
    others.shift();
  }
  return [programName(program), ...others];
}

/** Options that change what is printed, and not what is run. */
const PRINTS =
  /^(?:-[vqsx]{1,4}|-rA?|-count=1|--(?:verbose|quiet|silent|no-header|no-color|colou?r|tb|reporter|no-cov|bail)(?:=.*)?)$/;
/** Options that pick some of what there is, with what they pick. A project that is named may be another one. */
const PICKS =
  /^(?:-{1,2}run|-[kteR]|-Dtest(?!=\S{0,200}IT$)|--(?:tests?|grep|filter|package|testNamePattern|test-name-pattern))(?:=.*)?$/;
/** What is picked by its place. */
const PLACE = /[/\\]|::|\.\w/;
/** Programs that run the tests whose names, or those of their modules, they are given. */
const BY_NAME =
  /^(?:unittest(?! discover)|jest|vitest(?: run)?|cargo (?:test|nextest run)|manage\.py test|(?:npm|pnpm|yarn) (?:run )?test(?: --)?)(?= |$)/;

/** Whether one command runs all that another one does: it has no word of its own but for wider places. */
function covers(whole: readonly string[], part: readonly string[]): boolean {
  const named = namesFrom(part);
  const places = whole.filter((word, at) => {
    const isValue = /^-+[^-]/.test(whole[at - 1] ?? '') && !isPrinting(whole[at - 1] ?? '');
    const isPlace = PLACE.test(word) || at >= namesFrom(whole) || holdsOthers(word, part);
    return at > 0 && !word.startsWith('-') && !isValue && isPlace;
  });
  const isAmong = (word: string) =>
    places.length === 0 || places.some((place) => isWithin(word, place));
  const isCovered = (word: string, at: number) =>
    whole.includes(word) ||
    word === '--' ||
    isPrinting(word) ||
    PICKS.test(word) ||
    (at > 1 && /^-/.test(part[at - 1] ?? '') && PICKS.test(part[at - 1] ?? '')) ||
    (!word.startsWith('-') && (at >= named || PLACE.test(word)) && isAmong(word));
  const isOfPart = (word: string) =>
    part.includes(word) || isPrinting(word) || holdsOthers(word, part);
  // Of programs of Node that asks for the version.
  if (whole.join(' ') === `${whole[0]} -v` && !/^(?:pytest|unittest)$/.test(whole[0] ?? ''))
    return false;
  return whole[0] === part[0] && part.every(isCovered) && whole.every(isOfPart);
}

/** From which word on names of tests may stand. */
function namesFrom(words: readonly string[]): number {
  return BY_NAME.exec(words.join(' '))?.[0].split(' ').length ?? words.length;
}

function isPrinting(word: string): boolean {
  return PRINTS.test(word);
}

/** Whether it is a place in which some of these are. */
function holdsOthers(word: string, part: readonly string[]): boolean {
  return part.some((one) => isWithin(one, word));
}

/** Whether a place lies in another one: `./...` are all packages of Go below a folder. */
function isWithin(place: string, other: string): boolean {
  const folder = other.replace(/\.\.\.$/, '').replace(/\/$/, '');
  if (folder === '.') return PLACE.test(place);
  const isInside = ['/', '::'].some((sign) => place.startsWith(`${folder}${sign}`));
  return PLACE.test(place) && (place === folder || isInside);
}
