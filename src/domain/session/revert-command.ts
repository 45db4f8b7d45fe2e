import type { RevertCompaction } from './compaction-commands.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { SessionEvent } from './events.ts';
import type { Head } from './head.ts';

/**
 * What undoing a compaction takes, read from its own events (`events` may hold others) and the
 * present head. Rejects with compaction_not_revertible when it changed nothing, or was undone before.
 */
export function revertCommand(
  compactionId: string,
  events: readonly SessionEvent[],
  head: Head,
): Outcome<RevertCompaction> {
  const command: RevertCompaction = {
    compaction_id: compactionId,
    kind: 'micro',
    ended_version: 0,
    previous: null,
    tokens_back: 0,
    compacted_version: head.state.compacted_version,
  };
  for (const event of events) {
    switch (event.type) {
      case 'compaction.micro_completed':
        if (event.data.compaction_id !== compactionId) break;
        command.ended_version = event.version;
        for (const edit of event.data.edits) {
          command.tokens_back += edit.tokens_before - edit.tokens_after;
        }
        break;
      case 'compaction.completed': {
        if (event.data.compaction_id !== compactionId) break;
        const { previous, report } = event.data;
        command.kind = 'full';
        command.ended_version = event.version;
        command.previous = previous;
        command.tokens_back += report.covered_tokens - report.replacement_tokens;
        break;
      }
      case 'compaction.reverted':
        if (event.data.compaction_id !== compactionId) break;
        return reject('compaction_not_revertible', 'this compaction has been reverted already');
      default:
    }
  }
  if (command.ended_version > 0) return accept(command);
  return reject(
    'compaction_not_revertible',
    'this compaction did not change the context, so there is nothing to undo',
  );
}
