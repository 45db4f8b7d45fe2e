import type { Summarizer, SummaryFailure, Task, Written } from '../summarizers/summarizer.ts';

/** What a summariser has written, and how long that took (milliseconds). */
export type Timed<W extends Written> = W & { took_ms: number };

/** Asks a summariser once (SPEC section 8, phases 3 and 4). */
export async function summarise<W extends Written>(
  { now }: { now: () => Date },
  summarizer: Summarizer<W>,
  task: Task,
  signal: AbortSignal,
): Promise<Timed<W> | SummaryFailure> {
  const started = now().getTime();
  const answer = await summarizer.summarize(task, signal);
  return answer.ok ? { ...answer, took_ms: now().getTime() - started } : answer;
}
