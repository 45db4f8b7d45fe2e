import type { Command, Pipeline, Word } from './lex.ts';

/** More words stand for any. */
const MOST_WORDS = 50;
/** Matches every path. */
const ANY: Word = { text: '**', isPlain: false };

/**
 * Pipelines with the variables of loops replaced by what they go through: the words of `for`, as far
 * as the script says them, and anything for those that are read.
 */
export function withLoopWords(pipelines: readonly Pipeline[]): Pipeline[] {
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
  const replaced = ({ words, ...others }: Command): Command => {
    return { ...others, words: words.flatMap((word) => wordsFor(word, variables)) };
  };
  return pipelines.map((pipeline) => ({
    ...pipeline,
    commands: pipeline.commands.map(replaced),
  }));
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
