import type { StoredEvent } from '../../../src/app/ports/event-store.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { compactByItself, labOf } from '../lab.ts';

export const { openLab, appendTo } = labOf('codex-classic');

export const GOOD = summaryAnswer();

/** So many turns of about 200 tokens: a question and its answer, numbered from one. */
export function turns(count: number): Item[] {
  return Array.from({ length: count }, (_, n) => [
    user(`Question ${n + 1}. ${ofTokens(50)}`),
    assistant(`Answer ${n + 1}. ${ofTokens(110)}`),
  ]).flat();
}

/** Appends items with a command after them and runs the worker once; the events of the compaction. */
export function compactByCommand(lab: SessionLab, ...items: Item[]): Promise<StoredEvent[]> {
  return compactByItself(lab, ...items, user('/compact'));
}
