import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/** Calls `attempt` until it stops throwing; gives up after `limitMs` with its last error. */
export async function untilItWorks(attempt: () => Promise<void>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(POLL_MS);
    }
  }
}

/** Below those that systems give to whoever asks for any port. */
const [LOWEST_PORT, HIGHEST_PORT] = [20_000, 32_000];

/**
 * A port that is free now; somebody else may take it before it is used. Nobody is given it by chance, so that
 * a server that was killed finds it free when it comes back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
