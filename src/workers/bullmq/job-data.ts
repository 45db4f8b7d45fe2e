import type { Job } from 'bullmq';
import { z } from 'zod';
import type { CompactionJob } from '../job-engine.ts';

/** What a job carries in Redis beside its id: which session. Never items or secrets. */
export type JobData = { tenant: string; session_id: string };

const jobData = z.object({ tenant: z.string(), session_id: z.string() });

/** The job as the port knows it; null when somebody else wrote it, or another version of us. */
export function readJob({ id, data }: Job): CompactionJob | null {
  const parsed = jobData.safeParse(data);
  if (id === undefined || !parsed.success) return null;
  return { ref: parsed.data, compaction_id: id };
}
