import { bullet } from '../../text.ts';
import type { TextCounter } from '../../tokens/count.ts';
import { epochTellings } from '../extractive/work-lines.ts';
import type { FullPlan } from '../full.ts';

const TITLE = '## Earlier parts of the session';
const MOST_TOKENS = 400;
const SHARE = 0.1;

/**
 * The stretches that earlier compactions have closed, a line each, for a summary that a model has
 * written (SPEC 2, section 25): in as many words as a tenth of its budget holds. Null where there are
 * none, or no room.
 */
export function epochPart(
  { ledgers, summary_budget }: Pick<FullPlan, 'ledgers' | 'summary_budget'>,
  count: TextCounter,
): string | null {
  if (ledgers.covered.epochs.length === 0) return null;
  const most = Math.min(MOST_TOKENS, summary_budget * SHARE);
  for (const lines of epochTellings(ledgers).toReversed()) {
    const part = [TITLE, ...lines().map(({ text }) => bullet(text))].join('\n');
    if (count(part) <= most) return part;
  }
  return null;
}
