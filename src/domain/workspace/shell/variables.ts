import type { Command, Pipeline, Word } from './lex.ts';

const ASSIGNS = /^([A-Za-z_]\w{0,99})(\+?=)/;
/** Commands whose words are names of variables, or assign them. */
const SETS =
  /^(?:export|local|declare|typeset|readonly|read|for|unset|mapfile|readarray|select|getopts|let)$/;
const USE = /\$(?:\{([A-Za-z_]\w{0,99})\}|([A-Za-z_]\w{0,99}))/g;
/** A value that stays one word wherever it is put in, and stands for nothing else. */
const LONGEST_VALUE = 1_000;
const SAFE_VALUE = /^[^\s$`*?[\]{}~'"\\]+$/;
/** More characters put in for variables of one script than anyone writes. */
const MOST_PUT_IN = 200_000;

/**
 * Pipelines with variables replaced by what the script itself gives them: those that it sets in one
 * place only, to a text that it says, in the commands after that. `&&` in front of that place: only as far
 * as the same list goes.
 */
export function withVariables(pipelines: readonly Pipeline[]): Pipeline[] {
  const once = setOnce(pipelines);
  if (once.size === 0) return [...pipelines];
  const known = new Map<string, string>();
  let ofList: string[] = [];
  let left = MOST_PUT_IN;
  const filled = (word: Word): Word => {
    if (word.isPlain || known.size === 0 || left < 0) return word;
    const text = word.text.replaceAll(USE, (use, braced?: string, bare?: string) => {
      return known.get(braced ?? bare ?? '') ?? use;
    });
    if (text === word.text) return word;
    left -= text.length;
    return { text, isPlain: !/[$`*?[{]/.test(text) };
  };
  return pipelines.map((pipeline) => {
    const { after, commands } = pipeline;
    if (after !== '&&') {
      for (const name of ofList) known.delete(name);
      ofList = [];
    }
    const [only, ...others] = commands;
    const name = others.length === 0 && only !== undefined ? nameSetBy(only) : null;
    const value = name === null ? undefined : once.get(name);
    if (name !== null && value !== undefined && after !== '||' && !pipeline.isBackground) {
      known.set(name, value);
      if (after === '&&') ofList.push(name);
      return pipeline;
    }
    return {
      ...pipeline,
      commands: commands.map((command) => ({
        ...command,
        words: command.words.map(filled),
        redirects: command.redirects.map(({ operator, target }) => {
          return { operator, target: filled(target) };
        }),
      })),
    };
  });
}

/** The variables that are set in one place, with a value that is said there. */
function setOnce(pipelines: readonly Pipeline[]): Map<string, string> {
  const values = new Map<string, string>();
  const others = new Set<string>();
  for (const { commands } of pipelines) {
    for (const command of commands) {
      const own = commands.length === 1 ? nameSetBy(command) : null;
      const isSetting = setsOthers(command);
      for (const { text, isPlain } of command.words) {
        const [whole = '', name = text, sign] = ASSIGNS.exec(text) ?? [];
        if (sign === undefined && !isSetting) continue;
        const value = text.slice(whole.length);
        const isSaid = own === name && sign === '=' && isPlain && isSafe(value);
        if (isSaid && !values.has(name)) values.set(name, value);
        else others.add(name);
      }
    }
  }
  for (const name of others) values.delete(name);
  return values;
}

/** Whether what a command is given are names of variables; `IFS=` may stand in front of it. */
function setsOthers({ words }: Command): boolean {
  const [name, option] = words.filter(({ text }) => !ASSIGNS.test(text));
  return SETS.test(name?.text ?? '') || (name?.text === 'printf' && option?.text === '-v');
}

function isSafe(value: string): boolean {
  return value.length <= LONGEST_VALUE && SAFE_VALUE.test(value);
}

/** The variable that a command sets, where it does nothing else. */
function nameSetBy({ words, redirects, heredoc }: Command): string | null {
  const [word, ...others] = words[0]?.text === 'export' ? words.slice(1) : words;
  if (word === undefined || others.length > 0 || redirects.length > 0 || heredoc !== null) {
    return null;
  }
  return ASSIGNS.exec(word.text)?.[1] ?? null;
}
