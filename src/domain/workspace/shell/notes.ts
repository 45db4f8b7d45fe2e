/**
 * Lines that shells, and the programs that run them, put around the output of a command: they are no
 * part of what the command printed.
 */
const SHELL_LINE =
  /^(?:(?:\S{1,200}[/ ])?-?(?:bash|zsh|sh|dash): (?:line \d{1,9}: )?(?:cannot set terminal process group|no job control in this shell|warning: )[^\n]{0,500}|(?:manpath|perl|locale): warning: [^\n]{0,500}|Shell cwd was reset to [^\n]{1,4096})$/;

const RESET = /(?:^|\n)Shell cwd was reset to ((?:\/|[A-Za-z]:[\\/])[^\n]{0,4095})\s*$/;
/** Notes of this kind stand at the ends of an output. */
const MOST_NOTES = 5;

/** An output without the lines that the shell has put at its start and its end. */
export function withoutShellLines(text: string): string {
  let start = 0;
  for (let n = 0; n < MOST_NOTES; n++) {
    const feed = text.indexOf('\n', start);
    const line = text.slice(start, feed === -1 ? text.length : feed);
    if (feed === -1 || !SHELL_LINE.test(line)) break;
    start = feed + 1;
  }
  let end = text.length;
  for (let n = 0; n < MOST_NOTES; n++) {
    const stop = end > start && text[end - 1] === '\n' ? end - 1 : end;
    const feed = text.lastIndexOf('\n', stop - 1);
    const from = feed < start ? start : feed + 1;
    if (from >= stop || !SHELL_LINE.test(text.slice(from, stop))) break;
    end = from;
  }
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** The folder that Claude Code says it has put its shell back into. */
export function folderResetIn(text: string): string | null {
  return RESET.exec(text.slice(-5_000))?.[1] ?? null;
}
