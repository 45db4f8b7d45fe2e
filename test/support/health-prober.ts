import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Step } from './hostile-sessions.ts';

const SCRIPT = fileURLToPath(new URL('health-prober.mjs', import.meta.url));

/** A step that was taken: how long, in milliseconds, /healthz was held up by it at most. */
export type Probed = { what: string; longest_ms: number; answer: unknown };

/** Takes the steps one after the other, while another process asks for /healthz all the time. */
export async function probed(url: string, steps: readonly Step[]): Promise<Probed[]> {
  const prober = spawn(process.execPath, [SCRIPT, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(prober.stdout);
  const longest = async () => {
    const answered = once(lines, 'line');
    prober.stdin.write('\n');
    const [line] = await answered;
    return Number(line);
  };
  const taken: Probed[] = [];
  try {
    for (const { what, run } of steps) {
      await longest();
      const answer = await run(url);
      taken.push({ what, longest_ms: await longest(), answer });
    }
    return taken;
  } finally {
    prober.stdin.end();
  }
}
