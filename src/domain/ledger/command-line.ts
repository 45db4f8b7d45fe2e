import { baseName } from '../names.ts';
import { oneLine } from '../text.ts';
import { type Command, parseLoosely } from '../workspace/shell/lex.ts';
import type { Run } from './ledger.ts';
import { kindOfScript, programName } from './script-names.ts';

/** Characters of a script that are read: what stands in front says what it is for. */
const LOOKED_AT = 20_000;
export const LONGEST_KEY = 200;

const TESTS =
  'pytest|jest|vitest|mocha|ava|tap|unittest|nosetests|rspec|phpunit|ctest|tox|nox|cypress|playwright|karma|minitest|gotestsum|nextest|behave|bats|prove|pest|paratest|busted';
const BUILDS =
  'make|cmake|ninja|tsc|webpack|vite|rollup|esbuild|gcc|g\\+\\+|clang|clang\\+\\+|javac|gradle|gradlew|mvn|mvnw|msbuild|xcodebuild|bazel|docker-compose|swiftc|rustc|ghc|stack|sbt|ant|meson|cabal|kotlinc|ansible-playbook';
const CHECKS =
  'eslint|biome|prettier|ruff|flake8|pylint|mypy|pyright|black|isort|golangci-lint|clippy|shellcheck|stylelint|rubocop|phpstan|ktlint|depcruise|tflint|hadolint|checkstyle|psalm|phpcs|staticcheck|swiftlint|detekt|clang-tidy|cppcheck|kubeconform|ansible-lint|yamllint|oxlint|pre-commit';
const PROGRAMS: readonly [Run['kind'], RegExp][] = [
  ['test', new RegExp(`^(?:${TESTS})$`)],
  ['check', new RegExp(`^(?:${CHECKS})$`)],
  ['build', new RegExp(`^(?:${BUILDS})$`)],
];
/** Programs that do what their first words say: `npm run test`, `cargo build`. */
const RUNNERS =
  /^(?:npm|pnpm|yarn|bun|npx|bunx|go|cargo|dotnet|swift|mix|deno|node|python|python3|python\d?\.\d+|uv|poetry|pipenv|rye|hatch|rake|bundle|composer|php|make|gradle|gradlew|mvn|mvnw|bazel|just|task|mise|tsx|docker|sbt|lein|flutter|dart|zig|cmake|stack|nx|turbo|lerna|django-admin|manage\.py|rails|terraform|tofu|terragrunt|helm|meson|cabal|rebar3|crystal|gleam|forge|ng|R)$/;
/** Characters of the longest word that is taken for the name of a script. */
const LONGEST_NAME = 200;
const WORDS: readonly [Run['kind'], RegExp][] = [
  [
    'test',
    /^(?:--?)?(?:\w*[:_-])?(?:tests?|spec|e2e|unit|integration|verify|pytest|unittest|jest|vitest|mocha)(?:[:_-][\w:-]*)?$/i,
  ],
  [
    'check',
    /^(?:\w*[:_-])?(?:lint|check|type-?check|types|vet|validate|analy[sz]e|clippy|fmt|format|eslint|mypy|ruff|biome|tsc)(?:[:_-][\w:-]*)?$/i,
  ],
  [
    'build',
    /^(?:--?)?(?:\w*[:_-])?(?:build|compile|bundle|assemble|package|install)(?:[:_-][\w:-]*)?$/i,
  ],
];
/** Tools for small computers, and the words with which they build: `pio run`, `idf.py build`. */
const FIRMWARE = /^(?:pio|platformio|idf\.py|west|arduino-cli)$/;
const FIRMWARE_WORDS: ReadonlyMap<string, Run['kind']> = new Map([
  ['test', 'test'],
  ['check', 'check'],
  ['run', 'build'],
  ['build', 'build'],
  ['compile', 'build'],
  ['flash', 'build'],
]);
/** Languages whose tests are called in an expression. */
const EXPRESSIONS = /^(?:Rscript|R|julia)$/;
const TESTS_IN_EXPRESSION =
  /\b(?:devtools::(?:test|check)|testthat::test_\w+|tinytest::\w+|rcmdcheck::\w+|Pkg\.test)\b/;
/** Programs that build what runs elsewhere, and the words with which they do, or say what they would. */
const INFRASTRUCTURE = /^(?:terraform|tofu|terragrunt|pulumi|cdk|sam|serverless)$/;
const DEPLOYMENTS = /^(?:plan|apply|destroy|up|preview|deploy|synth)$/;
const MOST_WORDS = 5;

/** Whether a script runs tests, a build or a check; null when it does something else. */
export function runKindOf(script: string): Run['kind'] | null {
  for (const { commands } of parseLoosely(script.slice(0, LOOKED_AT))) {
    for (const command of commands) {
      const kind = kindOfCommand(command);
      if (kind !== null) return kind;
    }
  }
  return null;
}

/** Whether one command runs tests, a build or a check; null when it does something else. */
export function kindOfCommand({ words }: Command): Run['kind'] | null {
  const texts = words.map(({ text }) => text);
  const start = texts.findIndex(
    (text) =>
      !/^\w+=|^(?:sudo|env|time|nice|nohup|stdbuf|exec|command|timeout|xvfb-run|-\S*|\d+[smh]?)$/.test(
        text,
      ),
  );
  const program = programName(texts[start] ?? '');
  const inner = SURROUNDINGS.test(program) ? scriptInside(texts.slice(start + 1)) : null;
  if (inner !== null) return kindInside(inner);
  if (RUNNERS.test(program)) {
    const rest = texts
      .slice(start + 1, start + 1 + MOST_WORDS)
      .map(baseName)
      .filter(({ length }) => length <= LONGEST_NAME);
    for (const [kind, pattern] of [...WORDS, ...PROGRAMS]) {
      if (rest.some((word) => pattern.test(word))) return kind;
    }
  }
  for (const [kind, pattern] of PROGRAMS) if (pattern.test(program)) return kind;
  if (EXPRESSIONS.test(program) && texts.some((text) => TESTS_IN_EXPRESSION.test(text))) {
    return 'test';
  }
  if (FIRMWARE.test(program)) {
    const verb = texts
      .slice(start + 1, start + 1 + MOST_WORDS)
      .find((one) => FIRMWARE_WORDS.has(one));
    return FIRMWARE_WORDS.get(verb ?? '') ?? null;
  }
  if (INFRASTRUCTURE.test(program)) {
    const verb = texts.slice(start + 1).find((word) => !word.startsWith('-')) ?? '';
    return DEPLOYMENTS.test(verb) ? 'build' : null;
  }
  return start === -1 ? null : kindOfScript(texts.slice(start));
}

/** Shells and other surroundings that run a script which they are given as one word. */
const SURROUNDINGS = /^(?:(?:ba|z|da|k|fi)?sh|nix-shell|nix|docker|podman|kubectl|wsl|su)$/;
const SCRIPT_FOLLOWS = /^(?:-[a-z]{0,3}c|--run|--command)$/;

function scriptInside(words: readonly string[]): string | null {
  const option = words.findIndex((word) => SCRIPT_FOLLOWS.test(word));
  const script = option === -1 ? '' : (words[option + 1] ?? '').trim();
  return /\s/.test(script) ? script : null;
}

/**
 * Of a script that runs one of them, and whose code is that of it: a pipe or a later command would hide
 * it, and what one of several prints says nothing of the others.
 */
function kindInside(script: string): Run['kind'] | null {
  const pipelines = parseLoosely(script.slice(0, LOOKED_AT));
  const isPlain = pipelines.every(({ commands, after }, at) => {
    return commands.length === 1 && (at === 0 || after === '&&');
  });
  const kinds = pipelines.flatMap(({ commands }) => commands.map(kindOfCommand));
  const [kind = null, ...others] = kinds.filter((one) => one !== null);
  return isPlain && others.length === 0 ? kind : null;
}

/** The words behind a command, in quotes or not. */
const ARGUMENTS = String.raw`(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\n;&|"']){0,400}`;
const SETTING = String.raw`\s{0,40}(?:cd|pushd|export|source|\.|set|unset|conda|nvm|module|\[{1,2}) ${ARGUMENTS}`;
/** What a script begins with to make the shell ready for what it is about. */
const SETS_UP = new RegExp(String.raw`^(?:${SETTING}(?:&&|;|\n)){1,12}`);
/** The same on lines of their own. */
const SETS_UP_IN_LINES = new RegExp(String.raw`^(?:${SETTING}\n){1,12}`);

/** A line that hands what follows, up to a word, to a program that writes a file, or is the script of one. */
const GIVES_TEXT =
  /^\s{0,40}(?:cd [^\n;&|<]{1,200}&&\s{0,20})?(?:cat|tee|python\d?|python3\.\d{1,2}|node|perl|ruby)\b[^\n;&|<]{0,300}<<-?\s{0,4}(["']?)(\w{1,40})\1[^\n;&|<]{0,300}\n/;
const ONLY_SAYS = /^(?:echo|printf)\b[^\n;&|]{0,400}$/;
/** Of set-up and texts in turns so many are passed over. */
const MOST_STEPS = 12;

/**
 * A script without the lines in front that only say where and with what, or write a file; itself, where
 * nothing else is left.
 */
export function withoutSetUpLines(script: string): string {
  return without(SETS_UP_IN_LINES, script);
}

function without(setUp: RegExp, script: string): string {
  let rest = script;
  for (let step = 0; step < MOST_STEPS; step++) {
    const next = withoutText(rest.replace(setUp, ''));
    if (next.length === rest.length) break;
    rest = next;
  }
  return rest.trim() === '' ? script : rest;
}

/** What follows a text that the first command is given; the whole where it is given none. */
function withoutText(script: string): string {
  const [line = '', , word = ''] = GIVES_TEXT.exec(script) ?? [];
  if (line === '') return script;
  const end = new RegExp(`^[\\t ]{0,40}${word}[\\t ]{0,40}$`, 'm').exec(
    script.slice(line.length - 1),
  );
  if (end === null) return script;
  const rest = script.slice(line.length - 1 + end.index + end[0].length).trimStart();
  // What only says that it is done is not what the script is about.
  return ONLY_SAYS.test(rest) ? script : rest;
}

/** What the words of a command that shows something go on to, with the blanks behind them. */
const SHOWN = String.raw`\b(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^|;&"'\n]){0,200}`;
/** Another one on the next line. Behind one on the same line no blanks are left. */
const BREAK = String.raw`(?:\n\s{0,20})?`;
const SHOWER = String.raw`(?:\|\s{0,20}(?:tail|head|grep|rg|cat|tee|sed|less)|(?:;|&&)\s{0,20}(?:echo|printf))${SHOWN}`;
/** What follows a command to show some of what it printed, or how it ended. */
const SHOWS = new RegExp(String.raw`\s{0,20}${SHOWER}(?:${BREAK}${SHOWER}){0,5}$`);
const FILE_SHOWER = String.raw`(?:;|&&|\|)\s{0,20}(?:echo|printf|tail|head|grep|rg|cat|sed)${SHOWN}`;
/** The same by way of a file that nobody keeps. */
const SHOWS_FILE = new RegExp(
  String.raw`\s{0,20}&?>{1,2}\s{0,20}(?:/tmp/\S{1,200}|/dev/null|[^\s;&|]{1,200}\.(?:log|out))(?=[\s;&|]|$)(?:\s{0,20}${FILE_SHOWER}(?:${BREAK}${FILE_SHOWER}){0,5})?\s{0,20}$`,
);

/**
 * A command without what tells it from the same one run in another way: the folder it starts in, its
 * variables, and what only shapes what it prints.
 */
export function commandKey(script: string): string {
  return oneLine(
    without(SETS_UP, script.slice(0, LOOKED_AT))
      .replace(/\s{0,20}\d?>&\d/g, '')
      .replace(SHOWS_FILE, '')
      .replace(SHOWS, '')
      .replace(/^\s*(?:env\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+){0,10}/, '')
      .replace(/^\s*(?:timeout\s+\S+\s+)?/, '')
      .replace(/^(\S{1,200}?)\.(?:cmd|exe)(?=\s|$)/i, '$1'),
  ).slice(0, LONGEST_KEY);
}

/** What makes more of a script than words in a row, or has a command run elsewhere or count the other way round. */
const MORE_THAN_ROW = /["'`;|&()<>$\\]|(?:^| )#|^(?:cd|pushd|popd|export|source|\.|!) /;
/** Behind these other files are tried than before. */
const CHANGES_FILES = /^git (?:bisect|checkout|reset|restore|revert|stash|switch|worktree)\b/;
const LONGEST_ROW = 8;

/**
 * The shorter rows of commands within one whose commands each wait for the one in front to succeed: has
 * it succeeded, so has each of them. None for another script, or one that is too long to be told whole,
 * and none that tries other files than it would alone. `key`: of the script.
 */
export function rowsWithin(key: string, script: string): string[] {
  if (key.length >= LONGEST_KEY || hasNextLine(script)) return [];
  const commands = key.split(' && ');
  const row = (from: number, to: number) => commands.slice(from, to).join(' && ');
  const isRow = !commands.some((one) => MORE_THAN_ROW.test(one));
  if (!isRow || commands.length < 2 || commands.length > LONGEST_ROW) return [];
  const isOther = (from: number) => commands.slice(0, from).some((one) => CHANGES_FILES.test(one));
  const rows = commands.flatMap((_, from) =>
    isOther(from) ? [] : commands.slice(from).map((_, at) => row(from, from + at + 1)),
  );
  return rows.filter((one) => one !== key);
}

/** Whether a script has a line that is run however the one before it ended, which a key does not show. */
function hasNextLine(script: string): boolean {
  const lines = withoutSetUpLines(script).trim().split('\n');
  return lines.some(
    (line, at) => at > 0 && !/^\s*&&/.test(line) && !lines[at - 1]?.trimEnd().endsWith('&&'),
  );
}
