import { reverted } from '../../api/compactions/schemas.ts';
import { ask } from '../ask.ts';
import { compactionPath, type ReadingFlags, reading } from '../reading.ts';
import { plainText } from '../terminal/plain-text.ts';
import { figure } from '../words.ts';
import { usedPercent } from './list.ts';

export type RevertFlags = ReadingFlags & { cascade?: boolean };

/** Undoes a compaction and prints where the context stands then. */
export function revertCommand(id: string, compaction: string, flags: RevertFlags): Promise<void> {
  return reading(flags, async (target, output) => {
    const path = `${compactionPath(id, compaction)}/revert`;
    const answer = await ask(target, reverted, path, {
      body: flags.cascade ? { cascade: true } : {},
    });
    await output.say(answer.text, (screen) => {
      const { context, version, reverted: undone, note } = answer.value;
      const others = undone.filter((one) => one !== compaction).map(plainText);
      const used = `${figure(context.tokens)} of ${figure(context.limit)} tokens, ${usedPercent(context)} % used`;
      return [
        `${screen.style('good', 'Undone')}: compaction ${plainText(compaction)} of ${plainText(id)}.`,
        ...(others.length === 0 ? [] : [`Undone before it: ${others.join(', ')}.`]),
        `The context is what it would be without it: ${used} (version ${version}).`,
        ...(note === null ? [] : [note]),
      ];
    });
  });
}
