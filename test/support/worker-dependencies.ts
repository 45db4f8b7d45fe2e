import { DEFAULT_PRICES } from '../../src/domain/policy/prices.ts';
import type { WorkerDependencies } from '../../src/workers/compaction/dependencies.ts';
import { extractive } from '../../src/workers/summarizers/extractive.ts';
import { remoteSummarizer } from '../../src/workers/summarizers/remote/remote.ts';
import { remoteCompactor } from '../../src/workers/summarizers/remote/remote-compactor.ts';
import { loadTemplates } from '../../src/workers/templates.ts';
import { NOW, WORLD } from './given.ts';
import { unobserved } from './unobserved.ts';

const TEMPLATES = loadTemplates();

/**
 * What a worker without models, hooks and files works with, at a standing clock; `own` in place of it.
 * What a run throws comes out of it.
 */
export function workerDependencies(
  own: Pick<WorkerDependencies, 'store'> & Partial<WorkerDependencies>,
): WorkerDependencies {
  let ids = 0;
  return {
    world: WORLD,
    templates: TEMPLATES,
    prices: DEFAULT_PRICES,
    chooseSummarizer: () => extractive,
    remote: remoteSummarizer(remoteCompactor({})),
    hooks: [],
    fetch,
    workspaceRoot: null,
    prepare: async () => {},
    onError: (error) => {
      throw error;
    },
    onUnknownSession: () => {},
    now: () => new Date(NOW),
    newId: () => `uuid-${++ids}`,
    dispatch: () => {},
    observe: unobserved,
    random: () => 0,
    ...own,
  };
}
