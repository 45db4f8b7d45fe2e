import type { Command, Pipeline, Word } from './lex.ts';

/** More words stand for any. */
const MOST_WORDS = 50;
/** More words than this, put in for variables of one script, stand for any, too. */
const MOST_REPLACED = 10_000;
/** Matches every path. */
const ANY: Word = { text: '**', isPlain: false };

/**
 * Pipelines with the variables of loops replaced by what they go through: the words of `for`, as far
 * as the script says them, and anything for those that are read. Null where they would be too many.
 */
export function withLoopWords(pipelines: readonly Pipeline[]): Pipeline[] | null {
  const variables = new Map<string, Word[]>();
  for (const { commands } of pipelines) {
    for (const { words } of commands) {
      const [head, name, ...rest] = words;
      if (head?.text === 'for' && name !== undefined) variables.set(name.text, listOf(rest));
      if (head?.text !== 'read') continue;
      for (const { text } of words.slice(1)) variables.set(text, [ANY]);
    }
  }
  if (variables.size === 0) return [...pipelines];
  let left = MOST_REPLACED;
  const replaced = ({ words, ...others }: Command): Command => {
    const all = words.flatMap((word) => {
      const own = left < 0 ? [word] : wordsFor(word, variables);
      left -= own.length - 1;
      return own;
    });
    return { ...others, words: all };
  };
  const result = pipelines.map((pipeline) => ({
    ...pipeline,
    commands: pipeline.commands.map(replaced),
  }));
  return left < 0 ? null : result;
}

function listOf([keyword, ...words]: Word[]): Word[] {
  const isSaid = keyword?.text === 'in' && words.length > 0 && words.length <= MOST_WORDS;
  return isSaid && words.every(({ text }) => !/[$`]/.test(text)) ? words : [ANY];
}

function wordsFor(word: Word, variables: ReadonlyMap<string, Word[]>): Word[] {
  const name = /^\$\{?(\w{1,100})\}?$/.exec(word.text)?.[1];
  const own = name === undefined || word.isPlain ? undefined : variables.get(name);
  return own ?? [word];
}
