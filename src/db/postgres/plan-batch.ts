import { type GroupPlan, planGroup, type QueuedCommand } from '../group-plan.ts';
import { compactionIdsOf } from '../projection.ts';
import { groupWrite } from '../session-row.ts';
import type { Found } from './session-rows.ts';
import type { Move } from './write-batch.ts';

/** What the commands of one session came to, and how many they are. */
export type PlannedMove = Move & { plan: GroupPlan; commands: number };

/** What one statement holds, in characters; a session that has more to write has one of its own. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Decides commands of one session on a head that may be old. Null when they cannot be part of a batch:
 * nothing would be written, which alone shows that the head is the newest, or compactions change whose
 * rows have to be read, or the session was in the archive when the head was read.
 */
export function planMove(
  commands: readonly [QueuedCommand, ...QueuedCommand[]],
  before: Found,
): PlannedMove | null {
  if (before.archive_file) return null;
  const [{ ref }] = commands;
  // A key that is known leaves the session out of the batch.
  const plan = planGroup(commands, before, new Map());
  const requested = plan.events.flatMap((event) =>
    event.type === 'compaction.requested' ? event.data.compaction_id : [],
  );
  if (compactionIdsOf(plan.events).some((id) => !requested.includes(id))) return null;
  const write = groupWrite(before, plan, []);
  return write === null ? null : { ref, before, write, plan, commands: commands.length };
}

/** The moves as they share statements: what is large delays no others. */
export function inStatements<T extends Move>(moves: readonly T[]): T[][] {
  const statements: T[][] = [];
  let room = 0;
  for (const move of moves) {
    const characters = charactersOf(move);
    const last = statements.at(-1);
    if (last === undefined || characters > room) {
      statements.push([move]);
      room = MOST_CHARACTERS - characters;
    } else {
      last.push(move);
      room -= characters;
    }
  }
  return statements;
}

function charactersOf({ write: { rows, kept } }: Move): number {
  const ofRows = rows.reduce((sum, { data }) => sum + data.length, 0);
  return [...kept.values()].reduce((sum, { response }) => sum + response.length, ofRows);
}
