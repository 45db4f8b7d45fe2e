import type { z } from 'zod';
import { compactionDiff } from '../../api/compactions/schemas.ts';
import { sessionSummary } from '../../api/sessions/schemas.ts';
import type { Format } from '../../domain/items/codecs.ts';
import { ask } from '../ask.ts';
import { between, bothEnds, itemRows } from '../item-rows.ts';
import { quantity } from '../quantity.ts';
import { compactionPath, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import { cut } from '../terminal/columns.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { figure } from '../words.ts';

export type DiffFlags = ReadingFlags & { limit: number };
type Diff = z.infer<typeof compactionDiff>;

/** Prints what a compaction took out of the context, what it shortened there, and what it put in. */
export function diffCommand(
  id: string,
  compaction: string,
  { limit, ...flags }: DiffFlags,
): Promise<void> {
  return reading(flags, async (target, output) => {
    const { value: session } = await ask(target, sessionSummary, sessionPath(id));
    const answer = await ask(target, compactionDiff, `${compactionPath(id, compaction)}/diff`);
    await output.say(answer.text, (screen) =>
      lines(answer.value, { format: session.format, limit }, screen),
    );
  });
}

const EDITS = {
  cleared: 'cleared',
  digested: 'now a digest',
  truncated: 'cut in the middle',
  input_truncated: 'its input cut',
};

function* lines(
  { session_id, compaction_id, kept, cleared, removed, added, tokens }: Diff,
  shown: { format: Format; limit: number },
  screen: Screen,
) {
  const id = plainText(session_id);
  const title = (text: string, of: number) =>
    `${screen.style('title', text)}, ${figure(of)} tokens`;
  yield `${screen.style('title', `Compaction ${plainText(compaction_id)}`)} of ${id}`;
  yield `The context had ${figure(tokens.before)} tokens and has ${figure(tokens.after)} after it,`;
  yield 'estimated without the safety margin.';
  yield '';
  if (cleared.length + removed.length + added.length === 0) {
    yield 'It has changed nothing.';
    return;
  }
  if (removed.length > 0) {
    yield title(`Gone: ${quantity(removed.length, 'item')}`, tokens.removed);
    yield* itemRows(screen, shown, removed.map(rowOf), (line) => screen.style('bad', line));
    yield '';
  }
  if (cleared.length > 0) {
    yield `${title(`Shortened: ${quantity(cleared.length, 'tool result')}`, tokens.cleared)} saved`;
    for (const edit of bothEnds(cleared, shown.limit)) {
      yield typeof edit === 'number'
        ? screen.style('faint', between(edit, cleared.length))
        : screen.style('warning', cut(editLine(edit), screen.columns));
    }
    yield '';
  }
  if (added.length > 0) {
    yield title(`New: ${quantity(added.length, 'item')}`, tokens.added);
    yield* itemRows(screen, shown, added.map(rowOf), (line) => screen.style('good', line));
    yield '';
  }
  yield title(`Kept: ${quantity(kept.length, 'item')}`, tokens.kept);
  yield '';
  const example = [...removed, ...cleared].find(({ seq }) => seq !== null)?.seq;
  if (example != null) {
    yield screen.style('faint', `Nothing is lost. What is gone: palimpsest show ${id} ${example}`);
  }
  if (added.length > 0) {
    yield screen.style('faint', `The summary: palimpsest show ${id} ${plainText(compaction_id)}`);
  }
}

function rowOf({ seq, origin, item }: Diff['removed'][number]) {
  return { seq, from: origin, item };
}

function editLine({
  seq,
  tool_use_id,
  kind,
  tokens_before,
  tokens_after,
}: Diff['cleared'][number]) {
  const tokens = `${figure(tokens_before)} → ${figure(tokens_after)} tokens`;
  return `${String(seq).padStart(7)}  ${tokens}, ${EDITS[kind]} (${plainText(tool_use_id)})`;
}
