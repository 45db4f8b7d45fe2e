import { MODEL_CALL } from '../../app/ports/observe.ts';
import type { Summarizer, SummaryFailure, Task, Written } from '../summarizers/summarizer.ts';
import type { WorkerDependencies } from './dependencies.ts';

/** What a summariser has written, and how long that took (milliseconds). */
export type Timed<W extends Written> = W & { took_ms: number };

/** Asks a summariser once (SPEC section 8, phases 3 and 4). */
export async function summarise<W extends Written>(
  { now, observe }: Pick<WorkerDependencies, 'now' | 'observe'>,
  summarizer: Summarizer<W>,
  task: Task,
  signal: AbortSignal,
): Promise<Timed<W> | SummaryFailure> {
  const started = now().getTime();
  const { kind, name: model } = summarizer;
  const answer = await observe(
    { name: kind === 'asking' ? MODEL_CALL : 'extract', kind: 'client', facts: { model } },
    () => summarizer.summarize(task, signal),
    (came) => (came.ok ? { outcome: came.kind } : { outcome: came.reason, failed: true }),
  );
  return answer.ok ? { ...answer, took_ms: now().getTime() - started } : answer;
}
