import type { z } from 'zod';
import { coveredItem } from '../../api/recall/schemas.ts';
import { pageOf } from '../../api/schemas/common.ts';
import { sessionSummary } from '../../api/sessions/schemas.ts';
import type { Format } from '../../domain/items/codecs.ts';
import { ask } from '../ask.ts';
import { itemRows } from '../item-rows.ts';
import { compactionPath, queryOf, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';

export type CoveredFlags = ReadingFlags & { limit: number; cursor?: string };

const page = pageOf(coveredItem);
const MOST_OF_A_PAGE = 500;

/** Prints the items that a compaction took away, as they were appended, and where each is now. */
export function coveredCommand(
  id: string,
  compaction: string,
  { limit: most, cursor, ...flags }: CoveredFlags,
): Promise<void> {
  return reading(flags, async (target, output) => {
    const { value: session } = await ask(target, sessionSummary, sessionPath(id));
    const limit = Math.min(most, MOST_OF_A_PAGE);
    const path = `${compactionPath(id, compaction)}/covered${queryOf({ limit, cursor })}`;
    const answer = await ask(target, page, path);
    const about = { id, compaction, format: session.format };
    await output.say(answer.text, (screen) => lines(answer.value, about, screen));
  });
}

const NOW = {
  in_context: 'in context',
  cleared: 'cleared',
  summarised: 'summarised',
  superseded: 'taken back',
  excluded: 'excluded',
} as const;

function* lines(
  { data, next_cursor }: z.infer<typeof page>,
  { id, compaction, format }: { id: string; compaction: string; format: Format },
  screen: Screen,
) {
  yield `${screen.style('title', `Taken away by compaction ${plainText(compaction)}`)} of ${plainText(id)},`;
  yield 'and where each item is now:';
  yield '';
  const rows = data.map(({ seq, state, item }) => ({ seq, from: NOW[state], item }));
  yield* itemRows(screen, { format, limit: rows.length, from: 'NOW' }, rows, (line) => line);
  yield '';
  if (next_cursor !== null) {
    yield screen.style('faint', `More: the same with --cursor ${plainText(next_cursor)}`);
  }
  yield screen.style('faint', `What became of one: palimpsest trace ${plainText(id)} SEQ`);
}
