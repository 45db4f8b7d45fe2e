import { bullet } from '../../text.ts';
import type { TextCounter } from '../../tokens/count.ts';
import type { Ledgers } from '../extractive/ledgers.ts';
import { type MustKeep, mustKeep } from './must-keep.ts';

/** The weightiest facts that have to be kept, as lines that take at most so many tokens. */
export function factLines(ledgers: Ledgers, most: number, count: TextCounter): string[] {
  return fitting(mustKeep(ledgers), '', most, count).map(({ text }) => bullet(text));
}

/** As many of the facts, in their order, as a part of so many tokens holds; one that is too long is passed over. */
export function fitting(
  facts: readonly MustKeep[],
  title: string,
  room: number,
  count: TextCounter,
): MustKeep[] {
  const chosen: MustKeep[] = [];
  let left = room - count(`${title}\n`);
  for (const fact of facts) {
    const tokens = count(`${bullet(fact.text)}\n`);
    if (tokens > left) continue;
    left -= tokens;
    chosen.push(fact);
  }
  // The parts counted one by one may be a little less than the whole.
  while (chosen.length > 0 && count(partOf(title, chosen)) > room) chosen.pop();
  return chosen;
}

/** The facts under their title. */
export function partOf(title: string, facts: readonly MustKeep[]): string {
  return [title, ...facts.map(({ text }) => bullet(text))].join('\n');
}
