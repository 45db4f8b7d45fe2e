import { baseName } from '../names.ts';
import { parseLoosely } from '../workspace/shell/lex.ts';

/**
 * What a script ends of what else runs: `by` a part of its command line, the name of its program, or a port
 * that it serves.
 */
type Killed = { by: 'line' | 'program' | 'port'; pieces: readonly string[] };

/** Others say which of them to end, or send a signal that ends nothing. */
const ENDS =
  /^-(?:f|x|i|e|ef|fe|9f|f9|9|15|2|1|KILL|TERM|INT|HUP|SIGKILL|SIGTERM|SIGINT|SIGHUP|full|signal)$/;
/** Words in front of a command. */
const BEFORE = /^(?:sudo|then|do|else|if|!|\(|\{)$/;
const BY_LSOF = /(?:^|[(`])lsof [^\n;|&]{0,60}?:(\d{2,5})\b/;
/** Longer ones are programs that are written down. */
const LONGEST = 2_000;

/** What a script ends by its name, command line or port; nothing for most. */
export function killedBy(script: string): (line: string) => boolean {
  if (script.length > LONGEST || !/kill|fuser/.test(script)) return () => false;
  const commands = parseLoosely(script).flatMap((pipeline) => pipeline.commands.map(wordsOf));
  // Signal 0 asks whether it runs.
  const hasKill = commands.some((words) => words.includes('kill') && !words.includes('-0'));
  const killed = commands.flatMap((words) => [...byName(words), ...byPort(words, hasKill)]);
  return (line) => killed.some((one) => isMeant(one, line));
}

function wordsOf({ words }: { words: readonly { text: string }[] }): string[] {
  const texts = words.map(({ text }) => text);
  const first = texts.findIndex((text) => !BEFORE.test(text));
  return first === -1 ? [] : texts.slice(first);
}

function byName([program = '', ...rest]: readonly string[]): Killed[] {
  if (program !== 'pkill' && program !== 'killall') return [];
  const count = rest.findIndex((word) => !word.startsWith('-'));
  const options = rest.slice(0, count).filter((word) => word !== '--');
  if (count === -1 || !options.every((option) => ENDS.test(option))) return [];
  const isLine =
    program === 'pkill' && options.some((option) => /^-(?:\w?f\w?|full)$/.test(option));
  // `[s]erver` keeps a pattern from matching itself.
  const plain = (rest[count] ?? '')
    .replace(/\[(.)\]/g, '$1')
    .replace(/\\(.)/g, '$1')
    .replace(/^\^|\$$/g, '');
  return [{ by: isLine ? 'line' : 'program', pieces: plain.split('.*').filter(Boolean) }];
}

function byPort(words: readonly string[], hasKill: boolean): Killed[] {
  return portsOf(words, hasKill).map((port): Killed => ({ by: 'port', pieces: [port] }));
}

function portsOf(words: readonly string[], hasKill: boolean): string[] {
  const program = baseName(words[0] ?? '');
  if (program === 'fuser') {
    const isEnded = words.some((word) => /^-(?:\w?k\w{0,3}|-kill)$/.test(word));
    return isEnded ? words.flatMap((word) => /^(\d{2,5})\/tcp$/.exec(word)?.[1] ?? []) : [];
  }
  if (/^(?:npx|pnpm|bunx|yarn|kill-port)$/.test(program)) {
    const at = words.indexOf('kill-port');
    return at === -1 ? [] : words.slice(at + 1).filter((word) => /^\d{2,5}$/.test(word));
  }
  const port = hasKill ? BY_LSOF.exec(words.join(' '))?.[1] : undefined;
  return port === undefined ? [] : [port];
}

function isMeant({ by, pieces }: Killed, line: string): boolean {
  if (pieces.length === 0) return false;
  if (by === 'line') return pieces.every((piece) => line.includes(piece));
  const words = line.split(by === 'port' ? /\D+/ : /[\s/;&|]+/);
  return pieces.every((piece) => words.includes(piece));
}
