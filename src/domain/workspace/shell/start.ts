/**
 * A shell names its own startup files from the root; a project with such files names them otherwise. Only
 * a script that forbids unset variables fails of one, where it runs the file itself.
 */
const OF_START =
  /^(?:(?:(?:\/|[A-Z]:[\\/])(?:\S{0,200}\/)?\.(?:bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zshenv|zprofile)|\/etc\/profile(?:\.d\/[\w.-]{1,60})?)(?:: line |:)\d{1,5}: (?![^\n]{0,200}\bunbound variable)|\S{0,60}sh: (?:line \d{1,5}: )?warning: setlocale: |\S{0,60}bash: (?:cannot set terminal process group \(|no job control in this shell)|perl: warning: (?:Setting locale failed|Please check that your locale|Falling back to )|mesg: ttyname failed: |stdin: is not a tty$)[^\n]*\n?/gm;
const RUNS_START_FILE = /\.(?:bash|zsh|z?profile)|\bprofile\b/;

/**
 * A text without what a shell says of its own start, before the command and whatever comes of it: of a
 * startup file, of a locale or a terminal that is not there.
 */
export function withoutShellStart(text: string): string {
  return text.replace(OF_START, '');
}

/** Whether a script runs a startup file itself: what is said of that is said of the command. */
export function runsStartFile(script: string): boolean {
  return RUNS_START_FILE.test(script);
}
