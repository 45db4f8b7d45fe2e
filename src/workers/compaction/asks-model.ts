import { eventAt } from '../../app/event-at.ts';
import { loadView } from '../../app/load-view.ts';
import { planCompaction, planRequest } from '../../domain/compaction/plan.ts';
import { remoteModel } from '../../domain/compaction/remote.ts';
import { termsOf } from '../../domain/session/head.ts';
import type { AsksModel, CompactionJob } from '../engines/job-engine.ts';
import type { WorkerDependencies } from './dependencies.ts';

type Dependencies = Pick<WorkerDependencies, 'store' | 'world' | 'chooseSummarizer' | 'prepare'>;

/** Larger contexts are planned in an attempt only: those are counted when they kill the process. */
const MOST_TOKENS = 1_000_000;

/**
 * Looks ahead at what a job will do, and changes nothing: for a job that has no slot for a model, and
 * perhaps needs none. Whether it asks a model is decided by its plan, because in `auto` mode clearing
 * results may be enough. Never throws: when it cannot tell, it says yes, and the attempt finds out what
 * is wrong.
 */
export function asksModel(deps: Dependencies): AsksModel {
  return (job) => looksAhead(deps, job).catch(() => true);
}

async function looksAhead(
  { store, world, chooseSummarizer, prepare }: Dependencies,
  { ref, compaction_id }: CompactionJob,
): Promise<boolean> {
  const head = await store.head(ref);
  const running = head?.state.running;
  if (!head || running?.id !== compaction_id || running.mode === 'micro') return false;
  const { settings, state } = head;
  const terms = termsOf(settings, world);
  const { config } = terms;
  const isModel = chooseSummarizer(settings, config).kind === 'asking';
  const isRemote = running.mode === 'remote' || config.remote_compaction;
  const asksProvider = isRemote && remoteModel(settings).model !== null;
  if (!isModel && !asksProvider) return false;
  const request = await eventAt(store, ref, running.requested_version);
  if (request?.type === 'compaction.requested' && request.data.offline === true) return false;
  if (state.tokens > MOST_TOKENS) return true;
  await prepare(config);
  const view = await loadView(store, ref, state.version);
  if (view === null || request?.type !== 'compaction.requested') return false;
  const plan = planCompaction(terms, head, view, planRequest(running, request.data));
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
