import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Asks `probe` again and again until it answers something, and answers that. Throws after `limitMs`
 * with what was waited for.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  limitMs = 60_000,
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await probe();
    if (isSomething(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await delay(POLL_MS);
  }
}

function isSomething<T>(answer: T): answer is Exclude<T, null | undefined | false> {
  return answer !== null && answer !== undefined && answer !== false;
}
