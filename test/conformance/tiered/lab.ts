import { requestCompaction } from '../../../src/domain/session/compaction-commands.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { labOf } from '../lab.ts';

export const { openLab, appendTo } = labOf('tiered');

export const GOOD = summaryAnswer();

/** The agent calls its tool, and the worker runs once; the id of the compaction. */
export async function callTool(lab: SessionLab, focus?: string): Promise<string> {
  const request = { compaction_id: lab.newId(), mode: 'auto', trigger: 'tool' } as const;
  const outcome = await lab.commit(
    requestCompaction(lab.world, focus === undefined ? request : { ...request, focus }),
  );
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
  await lab.work(outcome.value.id);
  return outcome.value.id;
}
