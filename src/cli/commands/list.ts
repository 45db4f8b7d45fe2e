import type { z } from 'zod';
import { pageOf } from '../../api/schemas/common.ts';
import { sessionSummary } from '../../api/sessions/schemas.ts';
import { wholePercent } from '../../app/whole-percent.ts';
import { ask } from '../ask.ts';
import { queryOf, type ReadingFlags, reading } from '../reading.ts';
import { plainLine, plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { table } from '../terminal/table.ts';
import { figure, minute } from '../words.ts';

export type ListFlags = ReadingFlags & { limit: number; cursor?: string };

const page = pageOf(sessionSummary);

/** Prints the sessions, newest first. */
export function listCommand({ limit, cursor, ...flags }: ListFlags): Promise<void> {
  return reading(flags, async (target, output) => {
    const answer = await ask(target, page, `/sessions${queryOf({ limit, cursor })}`);
    await output.say(answer.text, (screen) => lines(answer.value, target.place, screen));
  });
}

/** A UUID is the usual id; what is longer stands in a line of its own. */
const ID_COLUMNS = 36;

function* lines({ data, next_cursor }: z.infer<typeof page>, place: string, screen: Screen) {
  if (data.length === 0) {
    yield `No sessions in ${place} yet.`;
    yield screen.style('faint', 'Bring one in: palimpsest import FILE');
    return;
  }
  yield* table(
    screen,
    [
      { title: 'SESSION', most: ID_COLUMNS },
      { title: 'ITEMS', isFigure: true },
      { title: 'TOKENS', isFigure: true },
      { title: 'USED', isFigure: true },
      { title: 'CHANGED (UTC)' },
    ],
    data.map(({ id, counts, context, updated_at }) => [
      plainText(id),
      figure(counts.items),
      figure(context.tokens),
      `${usedPercent(context)} %`,
      minute(updated_at),
    ]),
    data.map(({ title }) => plainLine(title ?? '', screen.columns)),
  );
  if (next_cursor !== null) {
    yield screen.style('faint', `More: palimpsest list --cursor ${plainText(next_cursor)}`);
  }
}

/** How full the context is, of what it may hold, in whole percent. */
export function usedPercent({ tokens, limit }: { tokens: number; limit: number }): number {
  return limit === 0 ? 100 : wholePercent(tokens / limit);
}
