import type { Job } from 'bullmq';
import { z } from 'zod';
import type { CompactionJob } from '../job-engine.ts';

const jobData = z.object({
  tenant: z.string(),
  session_id: z.string(),
  /** It was found to ask a model, and waits for a slot. */
  waits_for_model: z.boolean().optional(),
  /** What the job belongs to, as a `traceparent`. */
  trace: z.string().optional(),
});

/** What a job carries in Redis beside its id: which session. Never items or secrets. */
export type JobData = z.infer<typeof jobData>;

/** The job as the port knows it; null when somebody else wrote it, or another version of us. */
export function readJob({ id, data }: Job): CompactionJob | null {
  const parsed = jobData.safeParse(data);
  if (id === undefined || !parsed.success) return null;
  const { tenant, session_id, trace } = parsed.data;
  return { ref: { tenant, session_id }, compaction_id: id, ...(trace !== undefined && { trace }) };
}

/** Whether this run of the job was put off until there is a slot for a model. */
export function waitsForModel({ data }: Job): boolean {
  return jobData.safeParse(data).data?.waits_for_model === true;
}

/** Notes in the queue whether the job waits for a slot: any worker may fetch it next. */
export async function noteWait(queued: Job, waits: boolean): Promise<void> {
  const { waits_for_model: _before, ...data } = jobData.parse(queued.data);
  await queued.updateData({ ...data, ...(waits && { waits_for_model: true }) });
}
