import { parse } from 'acorn';
import { type CodeCall, CodeReader } from './code-reader.ts';
import { Scope, type Value } from './value.ts';

/** What a script asks of tools, in its order, and what it prints, text by text. */
export type Code = { calls: readonly CodeCall[]; prints: readonly (Value | undefined)[] };

const LONGEST_CODE = 500_000;

/**
 * Reads what a script of Codex's code mode does, without running it: constants are followed, functions
 * of its own and loops over lists that are known are carried out. Null for what is no script, or too much.
 */
export function readCode(text: string): Code | null {
  if (text.length > LONGEST_CODE || !/\btools\b/.test(text)) return null;
  try {
    const program = parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowHashBang: true,
    });
    const reader = new CodeReader();
    reader.read(program.body, new Scope());
    return reader.calls.length > 0 ? { calls: reader.calls, prints: reader.prints } : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}
