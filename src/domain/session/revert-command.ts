import { editKey } from '../context/view.ts';
import type { RevertCompaction } from './compaction-commands.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { ResultEdit, SessionEvent } from './events.ts';
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
  const reverted = new Set(
    events.flatMap((event) =>
      event.type === 'compaction.reverted' ? [event.data.compaction_id] : [],
    ),
  );
  if (reverted.has(compactionId)) {
    return reject('compaction_not_revertible', 'this compaction has been reverted already');
  }
  const edited = new Set<string>();
  for (const event of events) {
    switch (event.type) {
      case 'compaction.micro_completed':
        if (event.data.compaction_id !== compactionId) {
          if (reverted.has(event.data.compaction_id)) break;
          if (!event.data.edits.some((edit) => edited.has(keyOf(edit)))) break;
          return reject(
            'compaction_not_revertible',
            `a later compaction (${event.data.compaction_id}) changed the same tool results: revert ` +
              'that one first',
          );
        }
        command.ended_version = event.version;
        for (const edit of event.data.edits) {
          edited.add(keyOf(edit));
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
      default:
    }
  }
  if (command.ended_version > 0) return accept(command);
  return reject(
    'compaction_not_revertible',
    'this compaction did not change the context, so there is nothing to undo',
  );
}

function keyOf({ seq, tool_use_id }: ResultEdit): string {
  return editKey(seq, tool_use_id);
}
