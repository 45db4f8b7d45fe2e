/**
 * What a script ends of what else runs: `by` a part of its command line, the name of its program, or a port
 * that it serves.
 */
type Killed = { by: 'line' | 'program' | 'port'; pieces: readonly string[] };

const KILLS =
  /(?:^|[\n;&|({]|\b(?:sudo|then|do|else)\b) {0,8}(pkill|killall)((?: {1,3}-[\w-]{1,20}){0,6}) {1,3}(?:-- {1,3})?("[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s;&|"'<>()`$]{1,200})/g;
/** Others say which of them to end, or send a signal that ends nothing. */
const ENDS =
  /^-(?:f|x|i|e|ef|fe|9f|f9|9|15|2|1|KILL|TERM|INT|HUP|SIGKILL|SIGTERM|SIGINT|SIGHUP|full|signal)$/;
const OF_PORT =
  /\bkill-port {1,3}(\d{2,5})\b|\bfuser (?:-\w{1,10} {1,3}){1,3}(\d{2,5})\/tcp\b|\blsof [^\n;|&]{0,60}?:(\d{2,5})\b/g;
/** Longer ones are programs that are written down. */
const LONGEST = 2_000;

/** What a script ends by its name, command line or port; nothing for most. */
export function killedBy(script: string): (line: string) => boolean {
  if (script.length > LONGEST || !/kill|fuser/.test(script)) return () => false;
  const killed = [...byName(script), ...byPort(script)];
  return (line) => killed.some((one) => isMeant(one, line));
}

function byName(script: string): Killed[] {
  return [...script.matchAll(KILLS)].flatMap(([, program, given = '', quoted = '']): Killed[] => {
    const options = given.trim().split(/ +/).filter(Boolean);
    if (!options.every((option) => ENDS.test(option))) return [];
    const pattern = quoted.replace(/^["']|["']$/g, '');
    const isLine =
      program === 'pkill' && options.some((option) => /^-(?:\w?f\w?|full)$/.test(option));
    // `[s]erver` keeps a pattern from matching itself.
    const plain = pattern
      .replace(/\[(.)\]/g, '$1')
      .replace(/\\(.)/g, '$1')
      .replace(/^\^|\$$/g, '');
    return [{ by: isLine ? 'line' : 'program', pieces: plain.split('.*').filter(Boolean) }];
  });
}

function byPort(script: string): Killed[] {
  return [...script.matchAll(OF_PORT)].flatMap(([whole, ...ports]): Killed[] => {
    const isEnded = !whole.startsWith('lsof') || /\bkill\b/.test(script);
    return isEnded ? [{ by: 'port', pieces: [ports.find(Boolean) ?? ''] }] : [];
  });
}

function isMeant({ by, pieces }: Killed, line: string): boolean {
  if (pieces.length === 0) return false;
  if (by === 'line') return pieces.every((piece) => line.includes(piece));
  const words = line.split(by === 'port' ? /\D+/ : /[\s/;&|]+/);
  return pieces.every((piece) => words.includes(piece));
}
