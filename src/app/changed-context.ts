import type { CompactionRow } from './ports/event-store.ts';

/** Whether a compaction has changed the context, if it was not undone since. */
export function changedContext({ outcome }: Pick<CompactionRow, 'outcome'>): boolean {
  return (
    outcome === 'micro_compacted' || outcome === 'full_compacted' || outcome === 'remote_compacted'
  );
}
