import { pausedNote } from '../domain/session/after-append.ts';
import type { EventData } from '../domain/session/events.ts';
import { changedContext } from './changed-context.ts';
import type { CompactionRow } from './ports/event-store.ts';
import { type Ending, toolMessage } from './tool-message.ts';

type Requested = EventData['compaction.requested'];

const FINISHED =
  'the compaction has finished; please continue: send the request to the model again';
const NOTHING_CHANGED =
  'the compaction has ended without a change; please continue: send the request to the model again';

/**
 * What a user is told whose message waits for a compaction: while it does, that the request was paused,
 * then that it goes on (SPEC section 13). Null when no message waits.
 */
export function waitingNote(row: CompactionRow, requested: Requested): string | null {
  const paused = pausedNote(requested);
  if (paused === null || row.status !== 'ended') return paused;
  return changedContext(row) ? FINISHED : NOTHING_CHANGED;
}

/**
 * What a host shows its user in place of the model's answer: after a command what the summariser has
 * written, untouched; after a compaction that a message has waited for, the note and the summary. Null
 * until the compaction has ended, and of all others.
 */
export function hostMessage(
  row: CompactionRow,
  requested: Requested,
  ending: Ending,
): string | null {
  const result = toolMessage(row, ending);
  if (result === null) return null;
  if (requested.attribution.path === 'command') {
    return ending.completed?.report.answer ?? result;
  }
  const note = waitingNote(row, requested);
  return note === null ? null : `${note}\n\n${result}`;
}
