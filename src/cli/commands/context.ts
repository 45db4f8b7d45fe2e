import { z } from 'zod';
import { contextBody } from '../../api/context/schemas.ts';
import { contextItem } from '../../api/schemas/context.ts';
import { ask } from '../ask.ts';
import { itemRows } from '../item-rows.ts';
import { quantity } from '../quantity.ts';
import { queryOf, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { figure } from '../words.ts';

export type ContextFlags = ReadingFlags & { at?: number; limit: number };

const context = contextBody.extend({ items: z.array(contextItem) });

/** Prints what goes to the model, an item in each line: now, or as it was at a version. */
export function contextCommand(id: string, { at, limit, ...flags }: ContextFlags): Promise<void> {
  return reading(flags, async (target, output) => {
    const path = `${sessionPath(id)}/context${queryOf({ origins: 'true', at })}`;
    const answer = await ask(target, context, path);
    await output.say(answer.text, (screen) => lines(answer.value, limit, screen));
  });
}

function* lines(shown: z.infer<typeof context>, limit: number, screen: Screen) {
  const { session_id, at, items, tokens, format, base_compaction_id: base } = shown;
  const id = plainText(session_id);
  const count = `${quantity(items.length, 'item')}, ${figure(tokens)} tokens`;
  yield `${screen.style('title', `Context of ${id}`)} at version ${at}: ${count}`;
  if (base !== null) {
    yield 'It begins with what a compaction has made of the past. That one in full:';
    yield screen.style('faint', `  palimpsest show ${id} ${plainText(base)}`);
  }
  yield '';
  const rows = items.map(({ seq, origin, edited, item }) => ({
    seq,
    from: edited ? `${origin}, cut` : origin,
    item,
  }));
  yield* itemRows(screen, { format, limit }, rows, (line) => line);
  yield '';
  yield screen.style('faint', `An item in full: palimpsest show ${id} SEQ`);
}
