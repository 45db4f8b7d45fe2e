import { planCompaction, planRequest } from '../domain/compaction/plan.ts';
import { remoteModel } from '../domain/compaction/remote.ts';
import { type Attempt, startCompaction } from '../domain/session/compaction-commands.ts';
import { configOf } from '../domain/session/head.ts';
import { AttemptLog, commitStep, type LogDependencies, MOST_STARTS } from './attempt-log.ts';
import type { WorkerDependencies } from './compact-session.ts';
import type { AsksModel, CompactionJob, Outlook } from './job-engine.ts';

type Dependencies = LogDependencies & Pick<WorkerDependencies, 'chooseSummarizer' | 'prepare'>;

/** Who a session would ask. */
type Asked = { isModel: boolean; asksProvider: boolean };

const NOBODY: Outlook = { asksModel: false, attempt: null };

/**
 * Looks ahead at what a job will do. Whether it asks a model is decided by its plan, because in `auto`
 * mode clearing results may be enough. Planning may be what kills the process: it belongs to an
 * attempt whose start is in the log before, and which the handler goes on with. Never throws: when it
 * cannot tell, it says yes, and the attempt finds out what is wrong.
 */
export function asksModel(deps: Dependencies): AsksModel {
  return async (job) => {
    let attempt: number | null = null;
    try {
      const asked = await whoMayBeAsked(deps, job);
      if (asked === null) return NOBODY;
      const { compaction_id } = job;
      const started = await commitStep(deps, job.ref, () =>
        startCompaction(deps.world, compaction_id),
      );
      if (!started?.applied) return NOBODY;
      attempt = started.attempt;
      return { asksModel: await isAsked(deps, job, { compaction_id, attempt }, asked), attempt };
    } catch {
      return { asksModel: true, attempt };
    }
  };
}

/** Null: nobody, whatever the plan. */
async function whoMayBeAsked(
  { store, world, chooseSummarizer }: Dependencies,
  { ref, compaction_id }: CompactionJob,
): Promise<Asked | null> {
  const head = await store.head(ref);
  const running = head?.state.running;
  if (!head || running?.id !== compaction_id || running.mode === 'micro') return null;
  const { settings } = head;
  const config = configOf(settings, world.server);
  const isModel = chooseSummarizer(settings, config).kind === 'model';
  const isRemote = running.mode === 'remote' || config.remote_compaction;
  const asksProvider = isRemote && remoteModel(settings).model !== null;
  return isModel || asksProvider ? { isModel, asksProvider } : null;
}

async function isAsked(
  deps: Dependencies,
  { ref }: CompactionJob,
  attempt: Attempt,
  { isModel, asksProvider }: Asked,
): Promise<boolean> {
  if (attempt.attempt > MOST_STARTS) return false;
  const loaded = await new AttemptLog(deps, ref, attempt).load();
  if (loaded === null) return false;
  const { head, view, running, request } = loaded;
  await deps.prepare(head.settings);
  const plan = planCompaction(deps.world, head, view, planRequest(running, request));
  switch (plan.kind) {
    case 'skip':
    case 'micro':
      return false;
    case 'full':
      return isModel;
    case 'remote':
      return isModel || asksProvider;
    default:
      return plan satisfies never;
  }
}
