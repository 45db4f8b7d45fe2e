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

/** A port that is free now; somebody else may take it before it is used. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port was given'));
        else resolve(address.port);
      });
    });
  });
}
