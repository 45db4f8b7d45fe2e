import type { z } from 'zod';
import { traceBody } from '../../api/recall/schemas.ts';
import { ask } from '../ask.ts';
import { quantity } from '../quantity.ts';
import { queryOf, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import { cut } from '../terminal/columns.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { figure, minute } from '../words.ts';

export type TraceFlags = ReadingFlags & { at?: number; of?: string };
type Trace = z.infer<typeof traceBody>;

/** Prints where an item of the log is now, and all that has happened to it. */
export function traceCommand(
  id: string,
  seq: number,
  { at, of: session_id, ...flags }: TraceFlags,
): Promise<void> {
  return reading(flags, async (target, output) => {
    const path = `${sessionPath(id)}/items/${seq}/trace${queryOf({ at, session_id })}`;
    const answer = await ask(target, traceBody, path);
    await output.say(answer.text, (screen) => lines(answer.value, screen));
  });
}

const HAPPENED = {
  appended: 'appended',
  forked: 'taken over by a fork',
  cleared: 'a result was cleared',
  digested: 'a result became a digest',
  truncated: 'a result was cut in the middle',
  input_truncated: 'the input of a call was cut',
  summarised: 'summarised: only a summary tells of it',
  summarised_again: 'its summary was replaced by a later one',
  reverted: 'that was undone',
  superseded: 'taken back by the client',
  pinned: 'pinned: it stays word for word',
  unpinned: 'no longer pinned',
} as const satisfies Record<Trace['history'][number]['what'], string>;

function* lines(trace: Trace, screen: Screen) {
  const { item, session_id, version, history, restored, summary } = trace;
  const title = screen.style('title', `Item ${item.seq} of ${plainText(item.session_id)}`);
  yield `${title}, ${figure(item.tokens)} tokens, at version ${version}: ${standing(trace)}`;
  for (const { path, origin, is_whole } of restored) {
    const name = path === null ? origin : plainText(path);
    yield cut(`  put back: ${is_whole ? 'the item itself' : name}`, screen.columns);
  }
  yield '';
  for (const { what, version: at_version, at, compaction_id, result } of history) {
    const saved =
      result === null
        ? ''
        : `, ${figure(result.tokens_before)} → ${figure(result.tokens_after)} tokens`;
    yield cut(
      `  version ${at_version}, ${minute(at)} UTC: ${HAPPENED[what]}${saved}`,
      screen.columns,
    );
    if (compaction_id !== null) yield `    by compaction ${plainText(compaction_id)}`;
  }
  yield '';
  const id = plainText(session_id);
  const owner = plainText(item.session_id);
  yield screen.style('faint', `The item in full: palimpsest show ${owner} ${item.seq}`);
  if (summary?.compaction_id != null) {
    const cid = plainText(summary.compaction_id);
    yield screen.style('faint', `The summary: palimpsest show ${id} ${cid}`);
  }
}

function standing({ state, is_verbatim, results, tokens_cleared }: Trace): string {
  switch (state) {
    case 'in_context':
      return is_verbatim
        ? 'in the context, as it was appended'
        : 'in the context, cut in the middle';
    case 'cleared':
      return `in the context, ${quantity(results.length, 'result')} replaced, which saves ${figure(tokens_cleared)} tokens`;
    case 'summarised':
      return 'summarised';
    case 'superseded':
      return 'taken back by the client';
    case 'excluded':
      return 'a command to the service, which never goes to the model';
    default:
      return state satisfies never;
  }
}
