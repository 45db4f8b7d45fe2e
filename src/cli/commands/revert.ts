import { reverted } from '../../api/compactions/schemas.ts';
import { ask } from '../ask.ts';
import { compactionPath, type ReadingFlags, reading } from '../reading.ts';
import { plainText } from '../terminal/plain-text.ts';
import { figure } from '../words.ts';
import { usedPercent } from './list.ts';

/** Undoes a compaction and prints where the context stands then. */
export function revertCommand(id: string, compaction: string, flags: ReadingFlags): Promise<void> {
  return reading(flags, async (target, output) => {
    const path = `${compactionPath(id, compaction)}/revert`;
    const answer = await ask(target, reverted, path, { body: {} });
    await output.say(answer.text, (screen) => {
      const { context, version } = answer.value;
      const used = `${figure(context.tokens)} of ${figure(context.limit)} tokens, ${usedPercent(context)} % used`;
      return [
        `${screen.style('good', 'Undone')}: compaction ${plainText(compaction)} of ${plainText(id)}.`,
        `The context is what it would be without it: ${used} (version ${version}).`,
      ];
    });
  });
}
