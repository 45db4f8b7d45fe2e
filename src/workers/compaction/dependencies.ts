import type { EventStore } from '../../app/ports/event-store.ts';
import type { Observe } from '../../app/ports/observe.ts';
import type { Templates } from '../../domain/compaction/prompt.ts';
import type { Format } from '../../domain/items/codecs.ts';
import type { Config } from '../../domain/policy/config.ts';
import type { PriceTable } from '../../domain/policy/prices.ts';
import type { World } from '../../domain/session/world.ts';
import type { CompactionJob } from '../engines/job-engine.ts';
import type { HookSettings } from '../hooks/hook-settings.ts';
import type { SummarizerChoice } from '../summarizers/registry.ts';
import type { Summarizer } from '../summarizers/summarizer.ts';

/** What a step needs that writes to the log. */
export type LogDependencies = {
  store: EventStore;
  now: () => Date;
  random: () => number;
};

export type WorkerDependencies = LogDependencies & {
  world: World;
  templates: Templates;
  /** What models cost, for compactions that have to pay. */
  prices: PriceTable;
  chooseSummarizer: (
    session: { model: string | null; format: Format },
    config: Config,
  ) => SummarizerChoice;
  /** The provider's own compaction. */
  remote: Summarizer;
  hooks: readonly HookSettings[];
  /** What calls them. */
  fetch: typeof fetch;
  /** The operator's folder that files may be restored from, or null. */
  workspaceRoot: string | null;
  /** Makes the tokenizer of a configuration available in `world`. */
  prepare: (config: Config) => Promise<void>;
  /** Told of what a run throws; the log of the session gets the name of the error only. */
  onError: (error: unknown, job: CompactionJob) => void;
  /** Told of a job whose session the store does not have: erased, or of another store. */
  onUnknownSession: (job: CompactionJob) => void;
  newId: () => string;
  /** Runs each step, and tells of it. */
  observe: Observe;
  /** Hands over the compaction that has to follow. */
  dispatch: (job: CompactionJob) => void;
};
