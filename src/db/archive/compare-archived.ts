import type { CompactionRow, RestoredSession, SessionRef } from '../../app/ports/event-store.ts';
import { Replay } from '../replay.ts';
import type { SessionRow } from '../session-row.ts';

/** In what a session's rows differ from its events, which are in the archive: one sentence for each. */
export function compareArchived(
  ref: SessionRef,
  row: SessionRow,
  compactions: readonly CompactionRow[],
  { rows }: RestoredSession,
): string[] {
  const replay = new Replay(ref);
  for (const event of rows) replay.add(event);
  replay.compare({ ...row, archive_file: null }, compactions);
  return replay.problems;
}
