import { event } from '../../api/events/schemas.ts';
import { logItem } from '../../api/items/schemas.ts';
import { pageOf } from '../../api/schemas/common.ts';
import { sessionSummary } from '../../api/sessions/schemas.ts';
import { ask } from '../ask.ts';
import { itemText } from '../item-text.ts';
import { queryOf, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import { type Target, TargetError } from '../target.ts';
import { longText, plainText } from '../terminal/plain-text.ts';
import { figure, minute } from '../words.ts';
import { sayCompaction } from './show-compaction.ts';

const page = pageOf(logItem);
const eventPage = pageOf(event);

/** Prints one item of the log in full, or the summary that a search has found there. */
export function showItem(id: string, seq: number, flags: ReadingFlags): Promise<void> {
  return reading(flags, async (target, output) => {
    const path = sessionPath(id);
    const { value: session } = await ask(target, sessionSummary, path);
    const found = await ask(target, page, `${path}/items${queryOf({ after: seq - 1, limit: 1 })}`);
    const entry = found.value.data[0];
    if (entry?.seq !== seq) {
      const there = await eventAt(target, path, seq);
      if (there !== null && 'compaction_id' in there.data) {
        return sayCompaction(target, output, id, there.data.compaction_id);
      }
      if (there !== null && 'summary_text' in there.data) {
        const { summary_text } = there.data;
        return output.say(JSON.stringify(there), (screen) => {
          const title = screen.style('title', `Summary ${seq} of ${plainText(id)}`);
          return [
            `${title}: by its client, ${minute(there.at)} UTC`,
            '',
            ...longText(summary_text),
          ];
        });
      }
      throw new TargetError(
        `session "${id}" has no item with seq ${seq}: its versions go from 1 to ${session.version}, ` +
          `and not all of them are items; "palimpsest context ${id}" shows those in the context`,
      );
    }
    await output.say(JSON.stringify(entry), (screen) => {
      const { who, said } = itemText(session.format, entry.item);
      const about = `${who}, ${minute(new Date(entry.occurred_at ?? entry.at).toISOString())} UTC, ${figure(entry.tokens)} tokens`;
      const title = screen.style('title', `Item ${seq} of ${plainText(id)}`);
      return [`${title}: ${about}`, '', ...longText(said.join('\n'))];
    });
  });
}

async function eventAt(target: Target, path: string, seq: number) {
  const query = queryOf({ after: seq - 1, limit: 1 });
  const { value } = await ask(target, eventPage, `${path}/events${query}`);
  return value.data.find(({ version }) => version === seq) ?? null;
}
