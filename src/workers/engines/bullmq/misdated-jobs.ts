import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** The score of a delayed job: its time in milliseconds, and twelve bits that keep the order. */
const SCORES_PER_MS = 0x1000;
/** Clocks differ by so much (milliseconds) without harm. */
const TOLERANCE_MS = 1000;
const MOST_JOBS = 1000;

/**
 * A delayed job waits for a time on the clock of the worker that delayed it. If that clock was ahead
 * and the worker is gone, the job would wait so much longer: any that has more time left than it was
 * told to wait goes on at once.
 */
export async function releaseMisdated(queue: Queue, client: Redis): Promise<void> {
  const key = queue.toKey('delayed');
  // The latest first: those are the suspects.
  const latest = await client.zrange(key, 0, MOST_JOBS - 1, 'REV', 'WITHSCORES');
  for (let index = 0; index < latest.length; index += 2) {
    const leftMs = Number(latest[index + 1]) / SCORES_PER_MS - Date.now();
    if (leftMs <= TOLERANCE_MS) return;
    const job = await queue.getJob(latest[index] ?? '');
    if (job === undefined || leftMs <= job.delay + TOLERANCE_MS) continue;
    // It throws when another worker was quicker.
    await job.promote().catch(() => {});
  }
}
