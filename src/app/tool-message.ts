import type { EventData } from '../domain/session/events.ts';
import type { ResultEdit } from '../domain/session/result-edits.ts';
import type { CompactionRow } from './ports/event-store.ts';

/** How a compaction has ended, as far as it says more than its row. */
export type Ending = {
  micro: Omit<EventData['compaction.micro_completed'], 'compaction_id'> | null;
  completed: Omit<EventData['compaction.completed'], 'compaction_id'> | null;
  skipped: EventData['compaction.skipped'] | null;
};

/**
 * What an agent is told that has called for a compaction as a tool: the summary, or in words what else
 * was done or why nothing was. Null until the compaction has ended.
 */
export function toolMessage(row: CompactionRow, ending: Ending): string | null {
  if (row.outcome === null) return null;
  const sizes = `${row.tokens_before} → ${row.tokens_after} tokens`;
  switch (row.outcome) {
    case 'not_needed':
      return 'No compaction needed';
    case 'full_compacted':
      return ending.completed?.summary_text ?? null;
    case 'remote_compacted':
      return `Compacted by the provider: ${sizes}`;
    case 'micro_compacted':
      return `${changedResults(ending.micro?.edits ?? [])}: ${sizes}`;
    case 'skipped':
      return `Nothing was compacted: ${ending.skipped?.detail ?? row.outcome_reason}`;
    case 'proposed':
      return `A proposal is ready, and nothing has changed yet: ${sizes} once it is applied`;
    case 'discarded':
      return `The proposal was discarded (${row.outcome_reason}); nothing has changed`;
    case 'failed':
      return `The compaction failed (${row.outcome_reason}); nothing has changed`;
    case 'cancelled':
      return 'The compaction was cancelled; nothing has changed';
    default:
      return row.outcome satisfies never;
  }
}

const CHANGES = {
  cleared: 'Cleared the content of',
  digested: 'Left a digest of',
  truncated: 'Shortened',
  input_truncated: 'Shortened the input of',
} as const satisfies Record<ResultEdit['kind'], string>;

function changedResults(edits: EventData['compaction.micro_completed']['edits']): string {
  const [first] = edits;
  const isMixed = edits.some(({ kind }) => kind !== first?.kind);
  const what = first === undefined || isMixed ? 'Cleared or shortened' : CHANGES[first.kind];
  const calls = edits.filter(({ kind }) => kind === 'input_truncated').length;
  const noun = calls === 0 ? 'result' : calls === edits.length ? 'call' : 'result or call';
  const nouns = calls === 0 ? 'results' : calls === edits.length ? 'calls' : 'results and calls';
  return `${what} ${edits.length} old tool ${edits.length === 1 ? noun : nouns}`;
}
