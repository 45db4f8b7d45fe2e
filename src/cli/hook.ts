import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The program waits for its hooks: what takes longer than this since the start of the process is given up. */
const MOST_MS = 1_900;

/**
 * A hook of Claude Code. Whatever goes wrong it prints nothing and ends with 0: the program goes on without
 * it. The work is done in another process: a transcript that is a pipe or very long, and a store that is
 * held, stop all that runs in the one that reads them, its timers too.
 */
export async function hookCommand(): Promise<void> {
  const file = fileURLToPath(new URL('hook/work.js', import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['inherit', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const giveUp = () => child.kill('SIGKILL');
  setTimeout(giveUp, MOST_MS - performance.now());
  process.on('SIGTERM', giveUp).on('SIGHUP', giveUp).on('SIGINT', giveUp);
  try {
    await once(child, 'close');
  } catch {
    // By design: a hook that fails would stop the program that called it.
  }
  // All of it is written at once, and ends with a line.
  if (said.endsWith('\n')) process.stdout.write(said);
  process.exit(0);
}
