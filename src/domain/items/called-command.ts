import { readUtterances } from './utterances.ts';

/** As Claude Code writes a command that is a prompt: what it is for the program itself begins with the name. */
const OPENS = /^\s{0,100}<command-message>/;

/**
 * The name of the command that a text calls, and nothing besides: what the command says stands in the
 * next text, which the user has not typed. Null for any other text.
 */
export function calledCommand(text: string): string | null {
  if (!OPENS.test(text)) return null;
  const [said, ...others] = readUtterances(text);
  if (said?.speaker !== 'user' || others.length > 0) return null;
  return /^\/\S{1,200}/.exec(said.text)?.[0] ?? null;
}

/** A command as it was typed, in which no path and no sentence begins. */
const TYPED = /^\s{0,10}(\/[a-z][\w.-]{0,60}(?::[\w.-]{1,60}){0,4})(?:\s|$)/i;

/** The same of a text that is all of its message: importers leave what was typed as it stood. */
export function typedCommand(text: string): string | null {
  return TYPED.exec(text)?.[1] ?? null;
}
