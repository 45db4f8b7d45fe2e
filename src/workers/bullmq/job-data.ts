import type { Job } from 'bullmq';
import { z } from 'zod';
import type { CompactionJob, Outlook } from '../job-engine.ts';

const jobData = z.object({
  tenant: z.string(),
  session_id: z.string(),
  /** It was found to ask a model, and waits for a slot. */
  waits_for_model: z.boolean().optional(),
  /** The attempt that began with finding that out. */
  attempt: z.int().positive().optional(),
});

/** What a job carries in Redis beside its id: which session. Never items or secrets. */
export type JobData = z.infer<typeof jobData>;

/** The job as the port knows it; null when somebody else wrote it, or another version of us. */
export function readJob({ id, data }: Job): CompactionJob | null {
  const parsed = jobData.safeParse(data);
  if (id === undefined || !parsed.success) return null;
  const { tenant, session_id } = parsed.data;
  return { ref: { tenant, session_id }, compaction_id: id };
}

/** What was found when the job was put off until there is a slot for a model; null: it was not. */
export function waitsForModel({ data }: Job): Outlook | null {
  const { waits_for_model, attempt = null } = jobData.safeParse(data).data ?? {};
  return waits_for_model === true ? { asksModel: true, attempt } : null;
}

/** Notes in the queue what was found of a job that waits for a slot: any worker may fetch it next. */
export async function noteWait(queued: Job, found: Outlook | null): Promise<void> {
  const { tenant, session_id } = jobData.parse(queued.data);
  const waits = found !== null && { waits_for_model: true };
  const begun = found !== null && found.attempt !== null && { attempt: found.attempt };
  await queued.updateData({ tenant, session_id, ...waits, ...begun });
}
