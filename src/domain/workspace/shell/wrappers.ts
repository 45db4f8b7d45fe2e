import { baseName } from '../../names.ts';
import type { Command, Word } from './lex.ts';

/** Programs that run another one, and the words after them that belong to them. */
const WRAPPERS: Readonly<Record<string, RegExp | null>> = {
  sudo: null,
  doas: null,
  env: null,
  time: null,
  nice: null,
  nohup: null,
  stdbuf: null,
  setsid: null,
  command: null,
  builtin: null,
  exec: null,
  caffeinate: null,
  timeout: /^[\d.]+[smhd]?$/,
  gtimeout: /^[\d.]+[smhd]?$/,
  xargs: null,
  parallel: null,
  npx: null,
  bunx: null,
  pnpx: null,
  uvx: null,
  corepack: null,
  dotenv: null,
};
/** Programs that run another one only with one of these words. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  uv: /^run$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  pdm: /^run$/,
  rye: /^run$/,
  hatch: /^run$/,
  bundle: /^exec$/,
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
  mise: /^(?:exec|x)$/,
  direnv: /^exec$/,
};
/** More programs that run one another than anyone writes. */
export const DEEPEST = 10;
/** Options of wrappers that a value follows, a word of its own. */
const WITH_VALUE = /^-(?:[nILPsukapd]|-package|-with|-from|-max-args|-max-procs|-replace)$/;

export function withoutAssignments(command: Command): Command {
  const start = command.words.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  if (start === 0) return command;
  return { ...command, words: start === -1 ? [] : command.words.slice(start) };
}

/**
 * The command that is run in the end. `isFed`: what it works on, it is given by the command in front
 * of it (`xargs`).
 */
export function unwrapped(command: Command): { command: Command; isFed: boolean } {
  let { words } = withoutAssignments(command);
  let isFed = false;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next = inner(words);
    if (next === null) break;
    isFed ||= /^(?:xargs|parallel)$/.test(baseName(words[0]?.text ?? ''));
    words = next;
  }
  return { command: { ...command, words }, isFed };
}

/** The words after a wrapper; null when the first word is none. Each call takes at least one word. */
function inner(words: Word[]): Word[] | null {
  const name = baseName(words[0]?.text ?? '');
  const second = words[1]?.text ?? '';
  if (/^python[\d.]*$/.test(name) && second === '-m') return words.slice(2);
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (runner?.test(second)) return afterOptions(words, 2, null);
  if (!Object.hasOwn(WRAPPERS, name) || words.length < 2) return null;
  return afterOptions(words, 1, WRAPPERS[name] ?? null);
}

function afterOptions(words: Word[], from: number, own: RegExp | null): Word[] {
  let at = from;
  for (; at < words.length; at++) {
    const word = words[at]?.text ?? '';
    if (word === '--') return words.slice(at + 1);
    if (WITH_VALUE.test(word)) at++;
    else if (!word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word) && !own?.test(word)) break;
  }
  return words.slice(at);
}
